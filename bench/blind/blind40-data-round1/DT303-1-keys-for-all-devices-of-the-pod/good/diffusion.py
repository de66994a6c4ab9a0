import functools
import logging

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

LEVELS = 100


def alphas():
    betas = np.linspace(1e-4, 0.05, LEVELS)
    return jnp.asarray(np.cumprod(1.0 - betas), jnp.float32)


def net(params, x, t):
    emb = jnp.take(params["time"], t, axis=0)
    h = jax.nn.silu(x @ params["inp"] + emb)
    return h @ params["out"]


@functools.partial(jax.pmap, axis_name="d")
def train_step(params, opt_state, images, key):
    k_t, k_noise = jax.random.split(key)
    t = jax.random.randint(k_t, (images.shape[0],), 0, LEVELS)
    noise = jax.random.normal(k_noise, images.shape)
    a = alphas()[t][:, None]
    noisy = jnp.sqrt(a) * images + jnp.sqrt(1 - a) * noise

    def loss_fn(p):
        return jnp.mean((net(p, noisy, t) - noise) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    grads = jax.lax.pmean(grads, "d")
    updates, opt_state = TX.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "d")


TX = optax.adamw(2e-4)


def local_images(rows, dim):
    rng = np.random.default_rng([7, jax.process_index()])
    while True:
        yield rng.normal(size=(jax.local_device_count(), rows, dim)).astype(np.float32)


class KeyServer:
    """Hands out fresh keys, one for each chip."""

    def __init__(self, seed):
        self._key = jax.random.fold_in(jax.random.key(seed), jax.process_index())

    def for_chips(self):
        self._key, sub = jax.random.split(self._key)
        return jax.random.split(sub, jax.local_device_count())


def main(steps=500, rows=64, dim=48, width=128):
    jax.distributed.initialize()
    k1, k2, k3 = jax.random.split(jax.random.key(0), 3)
    params = {
        "time": 0.02 * jax.random.normal(k1, (LEVELS, width)),
        "inp": jax.random.normal(k2, (dim, width)) / dim**0.5,
        "out": jax.random.normal(k3, (width, dim)) / width**0.5,
    }
    opt_state = jax_utils.replicate(TX.init(params))
    params = jax_utils.replicate(params)
    keys = KeyServer(seed=1)
    for step, images in zip(range(steps), local_images(rows, dim)):
        params, opt_state, loss = train_step(params, opt_state, images, keys.for_chips())
        if step % 50 == 0 and jax.process_index() == 0:
            logging.info("step %d loss %.4f", step, loss[0])


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main()
