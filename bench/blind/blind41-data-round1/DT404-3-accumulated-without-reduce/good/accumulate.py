import jax
import jax.numpy as jnp


def accumulate_gradients(loss_fn, params, batch, micro_steps):
    """Mean loss and mean gradient over `micro_steps` slices of the device's batch."""
    slices = jax.tree.map(lambda leaf: leaf.reshape((micro_steps, -1) + leaf.shape[1:]), batch)

    def body(carry, micro):
        total, grads = carry
        value, grad = jax.value_and_grad(loss_fn)(params, micro)
        return (total + value, jax.tree.map(jnp.add, grads, grad)), None

    zero = jnp.zeros(()), jax.tree.map(jnp.zeros_like, params)
    (total, grads), _ = jax.lax.scan(body, zero, slices)
    return total / micro_steps, jax.tree.map(lambda g: g / micro_steps, grads)
