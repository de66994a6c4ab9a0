import functools

import jax
import jax.numpy as jnp
import optax

tx = optax.sgd(0.05, momentum=0.9)


@functools.partial(jax.jit, donate_argnums=(0, 1))
def step(params, opt_state, x):
    grads = jax.grad(lambda p: jnp.mean((x @ p["w"] + p["b"] - jnp.sin(x).sum(-1)) ** 2))(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state
