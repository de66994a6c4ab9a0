import collections

import jax
import optax


class UpdateMonitor:
    """Tracks the relative size of parameter updates."""

    def __init__(self, every):
        self.every = every
        self.history = collections.deque(maxlen=100)

    def due(self, step):
        return step % self.every == 0

    def record(self, before, after):
        delta = jax.tree.map(lambda a, b: a - b, after, before)
        ratio = optax.global_norm(delta) / (optax.global_norm(after) + 1e-9)
        self.history.append(float(ratio))
