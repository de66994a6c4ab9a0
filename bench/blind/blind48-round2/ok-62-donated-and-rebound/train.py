import functools

import jax
import jax.numpy as jnp
import numpy as np


@functools.partial(jax.jit, donate_argnames=("params", "average"))
def update(params, average, x, y):
    grads = jax.grad(lambda p: jnp.mean((x @ p["w"] + p["b"] - y) ** 2))(params)
    params = jax.tree.map(lambda p, g: p - 0.05 * g, params, grads)
    average = jax.tree.map(lambda a, p: 0.99 * a + 0.01 * p, average, params)
    return params, average


def main(steps=100):
    params = {"w": jnp.zeros((6,)), "b": jnp.zeros(())}
    average = jax.tree.map(jnp.copy, params)
    rng = np.random.default_rng(0)
    best = None
    for step in range(steps):
        x = rng.normal(size=(32, 6)).astype(np.float32)
        params, average = update(params=params, average=average, x=x, y=x.sum(-1))
        if step % 25 == 24:
            best = jax.device_get(average)
    print(best["w"], np.asarray(params["b"]))


if __name__ == "__main__":
    main()
