import jax


class KeyStream:
    """One stream of keys for everything the sampler draws."""

    def __init__(self, seed):
        self._key = jax.random.key(seed)

    def next_key(self):
        key, sub = jax.random.split(self._key)
        return sub

    def for_devices(self, n):
        return jax.random.split(self.next_key(), n)
