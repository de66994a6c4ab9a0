import jax
import jax.numpy as jnp


def split_micro(batch, n):
    return jax.tree.map(lambda a: a.reshape((n, a.shape[0] // n) + a.shape[1:]), batch)


def accumulated(grad_fn, params, batch, n):
    micro = split_micro(batch, n)

    def body(acc, part):
        g = grad_fn(params, part)
        return jax.tree.map(jnp.add, acc, g), None

    zero = jax.tree.map(jnp.zeros_like, params)
    total, _ = jax.lax.scan(body, zero, micro)
    return jax.tree.map(lambda g: g / n, total)


def make_gradients(loss_fn, accum, axis):
    grad_fn = jax.grad(loss_fn)

    def gradients(params, batch):
        if accum > 1:
            return accumulated(grad_fn, params, batch, accum)
        return jax.lax.pmean(grad_fn(params, batch), axis)

    return gradients
