import jax
import jax.numpy as jnp


def step(weights, rows):
    gradient = jax.grad(lambda weights: jnp.mean((rows @ weights) ** 2))(weights)
    return weights - 0.1 * gradient


def bad(carried):
    key = jax.random.key(0)
    first, second = jax.random.split(key)
    same = carried(first, second)
    weights = jax.random.normal(first, (3,))
    noise = jax.random.normal(same, (8, 3))
    for rows in jnp.ones((10, 8, 3)):
        weights = step(weights, rows + noise)
    print(weights)


def good(carried):
    key = jax.random.key(0)
    first, second = jax.random.split(key)
    other = carried(second, first)
    weights = jax.random.normal(first, (3,))
    noise = jax.random.normal(other, (8, 3))
    for rows in jnp.ones((10, 8, 3)):
        weights = step(weights, rows + noise)
    print(weights)
