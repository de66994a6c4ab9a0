import jax
import jax.numpy as jnp

from gd.step import descend, distance


class Fit:
    def __init__(self, params, tolerance, watch_every):
        self.params = params
        self.tolerance, self.watch_every = tolerance, watch_every

    def turn(self, i, x):
        """Is it still moving?"""
        before = self.params
        self.params = descend(before, x, 0.05)
        if i % self.watch_every:
            return True
        return float(distance(before, self.params)) > self.tolerance
