import jax
import jax.numpy as jnp


def token_nll(logits, targets, weights):
    logp = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(logp, targets[..., None], -1)[..., 0] * weights


def normalised_nll(logits, targets, weights, axis=None):
    """Mean over all real tokens, those of the other devices included if an axis is given."""
    total, count = token_nll(logits, targets, weights).sum(), weights.sum()
    if axis is not None:
        total, count = jax.lax.psum((total, count), axis)
    return total / jnp.maximum(count, 1.0)
