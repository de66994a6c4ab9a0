from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import PartitionSpec as P

MICRO = 4


def projection(dim, features):
    return jax.random.normal(jax.random.key(1234), (dim, features)) / dim**0.5


def loss_fn(params, x, key):
    keep = jax.random.bernoulli(key, 0.9, x.shape)
    features = jnp.cos(jnp.where(keep, x, 0.0) @ projection(x.shape[-1], 32))
    return jnp.mean((features @ params - x.sum(-1)) ** 2)


def make_step(mesh, tx):
    @partial(jax.shard_map, mesh=mesh, in_specs=(P(), P(), P("dp"), P()), out_specs=P(), check_vma=False)
    def step(params, opt_state, x, key):
        key = jax.random.fold_in(key, lax.axis_index("dp"))

        def micro(total, given):
            rows, micro_key = given
            loss, grads = jax.value_and_grad(loss_fn)(params, rows, micro_key)
            return jax.tree.map(jnp.add, total, (loss, grads)), None

        xs = (x.reshape(MICRO, -1, x.shape[-1]), jax.random.split(key, MICRO))
        zero = (jnp.zeros(()), jax.tree.map(jnp.zeros_like, params))
        summed, _ = lax.scan(micro, zero, xs)
        loss, grads = lax.pmean(jax.tree.map(lambda v: v / MICRO, summed), "dp")
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    return jax.jit(step, donate_argnums=(0, 1))


def main(steps=6):
    mesh = jax.make_mesh((jax.device_count(),), ("dp",))
    tx = optax.adam(1e-2)
    params = jnp.zeros((32,))
    opt_state = tx.init(params)
    step = make_step(mesh, tx)
    key = jax.random.key(0)
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = rng.normal(size=(64, 6)).astype(np.float32)
        params, opt_state, loss = step(params, opt_state, x, jax.random.fold_in(key, i))
    print("loss", float(loss))


if __name__ == "__main__":
    main()
