import jax

from optim import rms

AXIS = "shard"


def make(loss_fn, lr):
    def update(params, state, batch):
        grads = jax.grad(loss_fn)(params, batch)
        grads = jax.lax.pmean(grads, AXIS)
        state = rms.observe(state, grads)
        step = rms.scaled(state, grads)
        return jax.tree.map(lambda p, s: p - lr * s, params, step), state

    return jax.pmap(update, axis_name=AXIS, donate_argnums=(0, 1))
