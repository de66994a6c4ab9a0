"""Asserts that a run is reproducible: the same seed twice gives the same weights."""
import jax
import jax.numpy as jnp
import numpy as np


def train(seed, steps=10):
    key = jax.random.key(seed)
    key, wk = jax.random.split(key)
    w = jax.random.normal(wk, (4,))
    for _ in range(steps):
        xk = key
        x = jax.random.normal(xk, (16, 4))
        w = w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w - 1) ** 2))(w)
    return w


def check():
    first, second = train(0), train(0)
    np.testing.assert_array_equal(first, second)
    other = train(1)
    assert not np.array_equal(first, other)
    # jit and eager draw the same bits
    key = jax.random.key(5)
    eager = jax.random.normal(key, (3,))
    jitted = jax.jit(lambda k: jax.random.normal(k, (3,)))(key)
    np.testing.assert_array_equal(eager, jitted)


if __name__ == "__main__":
    check()
    results = {seed: float(train(seed).sum()) for seed in range(3)}
    print(results)
