import argparse
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

import keys


@functools.partial(jax.pmap, axis_name="hosts_devices", donate_argnums=(0, 1), static_broadcasted_argnums=(4,))
def update(params, opt_state, x, key, tx):
    def loss_fn(p):
        noisy = x + 0.2 * jax.random.normal(key, x.shape)
        return jnp.mean((jnp.tanh(noisy @ p["enc"]) @ p["dec"] - x) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    loss, grads = jax.lax.pmean((loss, grads), "hosts_devices")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=10)
    args = parser.parse_args()
    jax.distributed.initialize()
    enc, dec = jax.random.split(keys.root_key(args.seed))
    params = {"enc": jax.random.normal(enc, (6, 12)) * 0.4, "dec": jax.random.normal(dec, (12, 6)) * 0.3}
    tx = optax.adam(1e-3)
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    key = keys.host_key(args.seed)
    n = jax.local_device_count()
    data = np.random.default_rng([args.seed, jax.process_index()])
    for _ in range(args.steps):
        key, sub = jax.random.split(key)
        x = data.normal(size=(n, 8, 6)).astype(np.float32)
        params, opt_state, loss = update(params, opt_state, x, jax.random.split(sub, n), tx)
    if jax.process_index() == 0:
        print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
