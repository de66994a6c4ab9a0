import jax
import jax.numpy as jnp

from gd.step import descend, distance


class Fit:
    def __init__(self, params, tolerance, watch_every):
        self.params = params
        self.tolerance, self.watch_every = tolerance, watch_every

    def turn(self, i, x):
        """Is it still moving?"""
        watched = i % self.watch_every == 0
        before = jax.tree.map(jnp.copy, self.params) if watched else None
        self.params = descend(self.params, x, 0.05)
        return not watched or float(distance(before, self.params)) > self.tolerance
