import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

import layers

tx = optax.adamw(1e-3)


def loss_fn(params, x):
    for block in params["blocks"]:
        x = layers.attend(block, x)
    return jnp.mean((layers.apply(params["head"], x)[..., 0] - x.max(-1)) ** 2)


@functools.partial(jax.pmap, axis_name="batch", donate_argnums=(0, 1))
def step(params, opt_state, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    loss, grads = jax.lax.pmean((loss, grads), "batch")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def main(depth=2, dim=8, steps=8):
    head_key, *block_keys = jax.random.split(jax.random.PRNGKey(0), depth + 1)
    params = {"blocks": [layers.attention(k, dim) for k in block_keys], "head": layers.linear(head_key, dim, 1)}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(jax.local_device_count(), 4, 6, dim)).astype(np.float32)
        params, opt_state, loss = step(params, opt_state, x)
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
