import jax


def key_stream(key):
    """An endless supply of fresh keys."""
    while True:
        key, sub = jax.random.split(key)
        yield sub
