import jax

from noise.config import BATCH


def step_keys(key):
    """A new carried key, and the keys of this step."""
    key, sub = jax.random.split(key)
    return key, jax.random.split(sub, BATCH)
