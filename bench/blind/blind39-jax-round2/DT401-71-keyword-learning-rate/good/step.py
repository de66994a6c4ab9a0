import functools

import jax
import jax.numpy as jnp
import optax


def model(params, x):
    for w, b in params:
        x = jnp.tanh(x @ w + b)
    return x


@functools.partial(jax.pmap, axis_name="cores")
def sgd_step(params, momentum, batch, lr):
    def loss_fn(p):
        return jnp.mean(optax.l2_loss(model(p, batch["x"]), batch["y"]))

    loss, grads = jax.lax.pmean(jax.value_and_grad(loss_fn)(params), "cores")
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, grads)
    params = jax.tree.map(lambda p, m: p - lr * m, params, momentum)
    return params, momentum, loss
