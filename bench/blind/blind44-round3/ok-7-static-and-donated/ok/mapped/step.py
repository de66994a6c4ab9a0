from functools import partial

import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-3)


def net(params, x, train, key):
    h = jax.nn.relu(x @ params["a"])
    if train:
        h = h * jax.random.bernoulli(key, 0.9, h.shape) / 0.9
    return h @ params["b"]


@partial(jax.pmap, axis_name="d", static_broadcasted_argnums=(3,), donate_argnums=(0,))
def step(carry, x, key, train):
    params, opt_state = carry

    def loss_fn(p):
        return jnp.mean((net(p, x, train, key) - x.sum(-1, keepdims=True)) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    loss, grads = jax.lax.pmean((loss, grads), "d")
    updates, opt_state = tx.update(grads, opt_state)
    return (optax.apply_updates(params, updates), opt_state), loss
