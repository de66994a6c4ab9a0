import functools

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from net import forward

model = hk.without_apply_rng(hk.transform_with_state(forward))
tx = optax.adam(1e-3)


def loss_fn(params, state, x, y):
    out, state = model.apply(params, state, x, True)
    return jnp.mean((out - y) ** 2), state


@functools.partial(jax.pmap, axis_name="batch")
def step(params, state, opt_state, x, y):
    (loss, state), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, state, x, y)
    loss, grads, state = jax.lax.pmean((loss, grads, state), "batch")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), state, opt_state, loss


def main(steps=10):
    params, state = jax.jit(functools.partial(model.init, is_training=False))(jax.random.PRNGKey(0), jnp.zeros((2, 6)))
    params, state, opt_state = jax_utils.replicate((params, state, tx.init(params)))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(jax.local_device_count(), 8, 6)).astype(np.float32)
        params, state, opt_state, loss = step(params, state, opt_state, x, x.sum(-1))
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
