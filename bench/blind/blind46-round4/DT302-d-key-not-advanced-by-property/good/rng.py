import jax


class KeySource:
    def __init__(self, seed):
        self._key = jax.random.key(seed)

    def next_key(self):
        self._key, sub = jax.random.split(self._key)
        return sub

    def take(self, n):
        return [self.next_key() for _ in range(n)]
