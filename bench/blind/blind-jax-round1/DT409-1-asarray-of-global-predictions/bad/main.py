import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from evaluate import Evaluator


def apply_fn(params, x):
    return jnp.tanh(x @ params["w"]) @ params["head"]


def host_split(n, host_rows, seed):
    rng = np.random.default_rng([seed, jax.process_index()])
    return [rng.normal(size=(host_rows, 7)).astype(np.float32) for _ in range(n)]


def main(steps=10, global_batch=32):
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))
    k1, k2 = jax.random.split(jax.random.key(0))

    @jax.jit
    def init():
        return {"w": jax.random.normal(k1, (7, 16)), "head": jax.random.normal(k2, (16, 3))}

    tx = optax.adam(1e-2)
    params = jax.jit(init, out_shardings=whole)()
    opt_state = jax.jit(tx.init)(params)

    @jax.jit
    def step(params, opt_state, x):
        def loss_fn(p):
            labels = jnp.clip(x.sum(-1) + 1, 0, 2).astype(jnp.int32)
            return optax.softmax_cross_entropy_with_integer_labels(apply_fn(p, x), labels).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    host_rows = global_batch // jax.process_count()
    for x in host_split(steps, host_rows, 0):
        x = jax.make_array_from_process_local_data(rows, x)
        params, opt_state, loss = step(params, opt_state, x)
    scores = Evaluator(mesh, apply_fn).scores(params, host_split(2, host_rows, 1))
    if jax.process_index() == 0:
        print("loss", float(loss), "mean top score", scores.max(-1).mean())


if __name__ == "__main__":
    main()
