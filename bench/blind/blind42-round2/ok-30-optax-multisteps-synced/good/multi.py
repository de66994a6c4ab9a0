"""Accumulation by optax.MultiSteps under jit with sharded batches."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P


def loss_fn(params, x, y):
    h = jax.nn.swish(x @ params["w1"])
    return jnp.mean((h @ params["w2"] - y) ** 2)


def build(steps):
    schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-2, steps // 10, steps)
    return optax.MultiSteps(optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule)), every_k_schedule=4)


def main(updates=50):
    mesh = jax.make_mesh((jax.device_count(),), ("batch",))
    rows, whole = NamedSharding(mesh, P("batch")), NamedSharding(mesh, P())
    tx = build(updates)
    k1, k2 = jax.random.split(jax.random.key(5))
    params = {"w1": jax.random.normal(k1, (10, 64)) * 0.3, "w2": jax.random.normal(k2, (64, 1)) * 0.1}
    params = jax.device_put(params, whole)
    state = jax.jit(tx.init, out_shardings=whole)(params)

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(params, state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        change, state = tx.update(grads, state, params)
        return optax.apply_updates(params, change), state, loss

    rng = np.random.default_rng(0)
    for _ in range(4 * updates):
        x = rng.normal(size=(64, 10)).astype(np.float32)
        params, state, loss = step(params, state, jax.device_put(x, rows), jax.device_put(x[:, :1] * x[:, 1:2], rows))
    print(float(loss))


if __name__ == "__main__":
    main()
