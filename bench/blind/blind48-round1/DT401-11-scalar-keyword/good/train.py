import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils


def loss_fn(params, x, y):
    h = jnp.tanh(x @ params["a"])
    return jnp.mean((h @ params["b"] - y) ** 2)


@functools.partial(jax.pmap, axis_name="batch", in_axes=(0, 0, 0, None))
def update(params, x, y, lr):
    grads = jax.lax.pmean(jax.grad(loss_fn)(params, x, y), axis_name="batch")
    return jax.tree.map(lambda p, g: p - lr * g, params, grads)


def schedule(step, base=0.1, warmup=10):
    return base * min(1.0, (step + 1) / warmup)


def main(steps=30):
    k1, k2 = jax.random.split(jax.random.key(0))
    params = jax_utils.replicate(
        {"a": jax.random.normal(k1, (8, 16)) * 0.3, "b": jax.random.normal(k2, (16,)) * 0.3}
    )
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for step in range(steps):
        x = rng.normal(size=(n, 32, 8)).astype(np.float32)
        params = update(params, x, x[..., 0], schedule(step))
    return jax_utils.unreplicate(params)


if __name__ == "__main__":
    main()
