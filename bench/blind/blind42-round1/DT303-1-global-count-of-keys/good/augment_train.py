"""Contrastive pre-training on TPU hosts; augmentation runs inside the pmapped step."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

optimizer = optax.sgd(0.05, momentum=0.9)


def encoder(params, x):
    return jnp.tanh(x @ params["w1"]) @ params["w2"]


def views(key, x):
    k1, k2 = jax.random.split(key)
    return x + 0.1 * jax.random.normal(k1, x.shape), x + 0.1 * jax.random.normal(k2, x.shape)


def nt_xent(params, a, b, temperature=0.2):
    za, zb = encoder(params, a), encoder(params, b)
    za = za / jnp.linalg.norm(za, axis=-1, keepdims=True)
    zb = zb / jnp.linalg.norm(zb, axis=-1, keepdims=True)
    logits = za @ zb.T / temperature
    return optax.softmax_cross_entropy_with_integer_labels(logits, jnp.arange(len(za))).mean()


@partial(jax.pmap, axis_name="i", donate_argnums=(0, 1))
def step(params, opt_state, x, key):
    a, b = views(key, x)
    loss, grads = jax.value_and_grad(nt_xent)(params, a, b)
    grads = jax.lax.pmean(grads, "i")
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "i")


def init(key, d=128, h=256, z=64):
    k1, k2 = jax.random.split(key)
    return {"w1": jax.random.normal(k1, (d, h)) / d**0.5, "w2": jax.random.normal(k2, (h, z)) / h**0.5}


def host_batches(seed, per_device):
    rng = np.random.default_rng([seed, jax.process_index()])
    while True:
        yield rng.normal(size=(jax.local_device_count(), per_device, 128)).astype(np.float32)


def main(steps=1000):
    jax.distributed.initialize()
    params = init(jax.random.PRNGKey(0))
    opt_state = jax_utils.replicate(optimizer.init(params))
    params = jax_utils.replicate(params)
    key = jax.random.fold_in(jax.random.PRNGKey(1), jax.process_index())
    feed = host_batches(0, 64)
    for i in range(steps):
        key, sub = jax.random.split(key)
        keys = jax.random.split(sub, jax.local_device_count())
        params, opt_state, loss = step(params, opt_state, next(feed), keys)
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss[0]))


if __name__ == "__main__":
    main()
