import jax
import jax.numpy as jnp


class Sampler:
    """Ancestral sampling of a tiny score model."""

    def __init__(self, seed: int, steps: int = 20):
        self.key, self.steps = jax.random.key(seed), steps

    def next_key(self):
        self.key, sub = jax.random.split(self.key)
        return sub

    def start(self, shape):
        return jax.random.normal(self.next_key(), shape)

    def sample(self, score, shape):
        x = self.start(shape)
        for t in range(self.steps, 0, -1):
            noise = jax.random.normal(self.key, shape)
            x = x + 0.05 * score(x, t / self.steps) + (0.1**0.5) * noise
        return x
