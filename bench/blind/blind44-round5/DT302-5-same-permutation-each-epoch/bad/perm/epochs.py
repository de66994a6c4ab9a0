import jax
import jax.numpy as jnp


def minibatches(key, arrays, size):
    n = len(arrays[0])
    order = jax.random.permutation(key, n)
    for start in range(0, n - size + 1, size):
        rows = order[start : start + size]
        yield tuple(a[rows] for a in arrays)


def epochs(key, arrays, size, count):
    for _ in range(count):
        yield from minibatches(key, arrays, size)
