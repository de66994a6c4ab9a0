import jax


def key_stream(key):
    """An endless supply of fresh keys."""
    while True:
        yield key
        key, _ = jax.random.split(key)
