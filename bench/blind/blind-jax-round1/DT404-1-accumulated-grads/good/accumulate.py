import jax
import jax.numpy as jnp


def split_micro(batch, n):
    return jax.tree_util.tree_map(lambda x: x.reshape((n, x.shape[0] // n) + x.shape[1:]), batch)


def accumulated_grads(loss_fn, params, batch, n_micro):
    """Mean loss, metrics and gradients over the microbatches of this device."""
    grad_fn = jax.value_and_grad(loss_fn, has_aux=True)

    def body(carry, micro):
        grads, metrics = carry
        (loss, aux), g = grad_fn(params, micro)
        grads = jax.tree_util.tree_map(jnp.add, grads, g)
        metrics = jax.tree_util.tree_map(jnp.add, metrics, {"loss": loss, **aux})
        return (grads, metrics), None

    zero_grads = jax.tree_util.tree_map(jnp.zeros_like, params)
    zero_metrics = {"loss": jnp.zeros(()), "acc": jnp.zeros(())}
    (grads, metrics), _ = jax.lax.scan(body, (zero_grads, zero_metrics), split_micro(batch, n_micro))
    return jax.tree_util.tree_map(lambda x: x / n_micro, (grads, metrics))
