import zlib

import jax


class KeyTree:
    """Names the random sites of a program: the same base key, another path, another stream."""

    def __init__(self, base):
        self._base = base

    def at(self, *path):
        key = self._base
        for part in path:
            key = jax.random.fold_in(key, zlib.crc32(part.encode()) if isinstance(part, str) else part)
        return KeyTree(key)

    @property
    def key(self):
        return jax.random.clone(self._base)
