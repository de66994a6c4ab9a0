import jax
import jax.numpy as jnp
from jax import lax


def backtrack(loss_fn, params, grads, batch, axis, start=0.5, most=8):
    """Halves the rate until the step lowers the loss."""
    moved = lambda rate: jax.tree.map(lambda p, g: p - rate * g, params, grads)
    here = lax.pmean(loss_fn(params, batch), axis)

    def body(carry):
        rate, tries = carry
        rate = lax.pmin(0.5 * rate, axis)
        return rate, tries + 1

    def worse(carry):
        rate, tries = carry
        there = lax.pmean(loss_fn(moved(rate), batch), axis)
        return (there > here) & (tries < most)

    rate, _ = lax.while_loop(worse, body, (jnp.asarray(start), jnp.asarray(0)))
    return moved(rate)
