import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from augment import maybe, spec_augment

tx = optax.adam(1e-3)


def loss_fn(params, mel, label, keys):
    mel = jax.vmap(lambda key, m: maybe(key, spec_augment, m))(keys, mel)
    logits = mel.mean(axis=1) @ params["w"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, label).mean()


@functools.partial(jax.pmap, axis_name="d")
def update(params, opt_state, mel, label, key):
    keys = jax.random.split(key, mel.shape[0])
    loss, grads = jax.value_and_grad(loss_fn)(params, mel, label, keys)
    loss, grads = jax.lax.pmean((loss, grads), "d")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=50, per_device=16):
    n = jax.local_device_count()
    weight_key, key = jax.random.split(jax.random.key(0))
    params = {"w": 0.1 * jax.random.normal(weight_key, (40, 12))}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng(3)
    for step in range(steps):
        mel = rng.random((n, per_device, 50, 40), dtype=np.float32)
        label = rng.integers(0, 12, size=(n, per_device))
        key, sub = jax.random.split(key)
        params, opt_state, loss = update(params, opt_state, mel, label, jax.random.split(sub, n))
    print(float(loss[0]))


if __name__ == "__main__":
    main()
