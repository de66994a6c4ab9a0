import jax


def next_key(key):
    return jax.random.split(key, 1)[0]


def noisy(key, x, sigma):
    return x + sigma * jax.random.normal(key, x.shape)
