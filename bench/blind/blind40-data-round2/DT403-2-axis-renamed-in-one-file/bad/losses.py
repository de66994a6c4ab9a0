import jax.numpy as jnp
import optax
from jax import lax

AXIS = "batch"


def token_loss(logits, targets, weights):
    """Weighted mean over all tokens of the global batch."""
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, targets)
    total = lax.psum(jnp.sum(weights), AXIS)
    return jnp.sum(losses * weights) / total
