import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx = optax.sgd(0.01)


def corrupt(key, row):
    keep = jax.random.bernoulli(key, 0.8, row.shape)
    return row * keep


@functools.partial(jax.pmap, axis_name="i")
def step(params, opt_state, x, key):
    keys = jax.random.split(key, x.shape[0])
    noisy = jax.vmap(corrupt)(keys, x)

    def loss_fn(p):
        return jnp.mean((jnp.tanh(noisy @ p["enc"]) @ p["dec"] - x) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    grads, loss = jax.lax.pmean((grads, loss), "i")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=100, per_device=32):
    n = jax.local_device_count()
    a, b, key = jax.random.split(jax.random.PRNGKey(1), 3)
    params = {"enc": jax.random.normal(a, (16, 8)) / 4, "dec": jax.random.normal(b, (8, 16)) / 3}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        key, sub = jax.random.split(key)
        x = rng.normal(size=(n, per_device, 16)).astype(np.float32)
        params, opt_state, loss = step(params, opt_state, x, jax.random.split(sub, n))
    print(float(loss[0]))


if __name__ == "__main__":
    main()
