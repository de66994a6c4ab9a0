import jax
from jax import lax


def bind(key, axis_name=None):
    """A key of this process, or of this device when called inside a mapped function."""
    if axis_name is None:
        return jax.random.fold_in(key, jax.process_index())
    return jax.random.fold_in(key, lax.axis_index(axis_name))
