"""nnx model split into graph and state, its step a shard_map over one axis."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax.sharding import NamedSharding, PartitionSpec as P

from nets import Encoder

AXIS = "replica"


def make_step(mesh, graph, tx):
    def local_step(state, opt_state, x, step):
        base = jax.random.fold_in(jax.random.key(99), step)

        def loss_fn(state):
            model = nnx.merge(graph, state)
            return jnp.mean((model(x, nnx.Rngs(dropout=base)) - x) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(state)
        loss, grads = jax.lax.pmean((loss, grads), AXIS)
        updates, opt_state = tx.update(grads, opt_state, state)
        return optax.apply_updates(state, updates), opt_state, loss

    mapped = jax.shard_map(
        local_step, mesh=mesh, in_specs=(P(), P(), P(AXIS), P()), out_specs=(P(), P(), P()), check_vma=False
    )
    return jax.jit(mapped, donate_argnums=(0, 1))


def main(steps=200, batch=256):
    mesh = jax.make_mesh((jax.device_count(),), (AXIS,))
    graph, state = nnx.split(Encoder((24, 96, 96, 24), 0.2, rngs=nnx.Rngs(params=0)))
    tx = optax.adamw(1e-3)
    everywhere = NamedSharding(mesh, P())
    opt_state = jax.device_put(tx.init(state), everywhere)
    state = jax.device_put(state, everywhere)
    step_fn = make_step(mesh, graph, tx)
    rng = np.random.default_rng(0)
    for step in range(steps):
        x = jax.device_put(rng.normal(size=(batch, 24)).astype(np.float32), NamedSharding(mesh, P(AXIS)))
        state, opt_state, loss = step_fn(state, opt_state, x, jnp.int32(step))
        if step % 50 == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
