"""Optax transformations that talk to the other replicas."""
import jax
import optax
from jax import lax


def synchronised(axis_name):
    """First link of a chain: what comes out is the same on all replicas."""

    def init(params):
        del params
        return optax.EmptyState()

    def update(updates, state, params=None):
        del params
        return jax.tree.map(lambda g: lax.pmean(g, axis_name), updates), state

    return optax.GradientTransformation(init, update)
