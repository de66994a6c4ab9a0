import jax
import jax.numpy as jnp


def rate(count, peak=0.1, warm=10):
    return peak * jnp.minimum(1.0, (count + 1) / warm)


def loss_fn(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


def step(params, x, y, count):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    grads = jax.lax.pmean(grads, axis_name="rep")
    lr = rate(count)
    return jax.tree.map(lambda p, g: p - lr * g, params, grads), jax.lax.pmean(loss, "rep")
