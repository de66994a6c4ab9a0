import jax
import jax.numpy as jnp
from jax import lax


def weighted_mean(values, weights, axis_name=None):
    """The mean over all examples, also those of other devices when an axis is given."""
    total, count = (values * weights).sum(), weights.sum()
    if axis_name is not None:
        total, count = lax.psum((total, count), axis_name)
    return total / jnp.maximum(count, 1.0)


def ctc_like(logits, labels):
    logp = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(logp, labels[..., None], axis=-1)[..., 0].mean(-1)
