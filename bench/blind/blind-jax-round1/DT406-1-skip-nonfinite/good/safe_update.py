import jax
import jax.numpy as jnp
import optax
from jax import lax


def all_finite(tree):
    leaves = [jnp.all(jnp.isfinite(x)) for x in jax.tree_util.tree_leaves(tree)]
    return jnp.all(jnp.stack(leaves))


def guarded_update(tx, params, opt_state, grads, axis):
    """Applies the averaged gradients unless they are not finite."""

    def apply(operand):
        params, opt_state, grads = operand
        grads = lax.pmean(grads, axis)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state

    def skip(operand):
        params, opt_state, _ = operand
        return params, opt_state

    ok = lax.pmin(all_finite(grads).astype(jnp.int32), axis) == 1
    params, opt_state = lax.cond(ok, apply, skip, (params, opt_state, grads))
    return params, opt_state, ok
