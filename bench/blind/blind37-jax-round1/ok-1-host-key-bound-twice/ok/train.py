from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

import noise

tx = optax.chain(optax.clip(1.0), optax.rmsprop(1e-3))


def denoising_loss(params, clean, key):
    dirty = clean + 0.3 * jax.random.normal(key, clean.shape)
    return jnp.mean((jnp.tanh(dirty @ params["in"]) @ params["out"] - clean) ** 2)


@partial(jax.pmap, axis_name="i", in_axes=(0, 0, 0, None, None), donate_argnums=(0, 1))
def step(params, opt_state, clean, key, count):
    key = noise.bind(jax.random.fold_in(key, count), "i")
    loss, grads = jax.value_and_grad(denoising_loss)(params, clean, key)
    grads = lax_mean(grads)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, lax_mean(loss)


def lax_mean(tree):
    return jax.lax.pmean(tree, axis_name="i")


def main():
    k_in, k_out, k_noise = jax.random.split(jax.random.PRNGKey(8), 3)
    params = {"in": jax.random.normal(k_in, (24, 48)) / 5, "out": jax.random.normal(k_out, (48, 24)) / 7}
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    n = jax.local_device_count()
    draw = np.random.default_rng([8, jax.process_index()])
    for count in range(500):
        clean = draw.normal(size=(n, 32, 24)).astype(np.float32)
        params, opt_state, loss = step(params, opt_state, clean, k_noise, count)
    if jax.process_index() == 0:
        print(float(loss[0]))


if __name__ == "__main__":
    main()
