import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, serialization


def pick_devices(limit):
    devices = jax.local_devices()
    return devices[: min(limit, len(devices))]


def loss_fn(params, x, key):
    h = jnp.tanh(x @ params["w"])
    h = jnp.where(jax.random.bernoulli(key, 0.9, h.shape), h / 0.9, 0.0)
    return jnp.mean((h @ params["v"] - x) ** 2)


def make_train(tx, devices):
    @functools.partial(jax.pmap, axis_name="d", in_axes=(0, 0, 0, 0, None), devices=devices)
    def train(params, opt_state, xs, key, start):
        def one(carry, x):
            params, opt_state, key, step = carry
            key, drop_key = jax.random.split(key)
            loss, grads = jax.value_and_grad(loss_fn)(params, x, drop_key)
            grads = jax.lax.pmean(grads, "d")
            scale = jnp.minimum(1.0, (step + 1) / 100)
            updates, opt_state = tx.update(jax.tree.map(lambda g: g * scale, grads), opt_state)
            return (optax.apply_updates(params, updates), opt_state, key, step + 1), loss

        (params, opt_state, key, _), losses = jax.lax.scan(one, (params, opt_state, key, start), xs)
        return params, opt_state, key, jax.lax.pmean(losses.mean(), "d")

    return train


def main(rounds=10, per_round=20, per_device=16, limit=4):
    devices = pick_devices(limit)
    tx = optax.adam(1e-3)
    kw, kv, key = jax.random.split(jax.random.key(3), 3)
    params = {"w": jax.random.normal(kw, (8, 32)) / 3, "v": jax.random.normal(kv, (32, 8)) / 6}
    opt_state = jax_utils.replicate(tx.init(params), devices)
    params = jax_utils.replicate(params, devices)
    keys = jax.random.split(key, len(devices))
    train = make_train(tx, devices)
    rng = np.random.default_rng(0)
    for r in range(rounds):
        xs = rng.normal(size=(len(devices), per_round, per_device, 8)).astype(np.float32)
        params, opt_state, keys, loss = train(params, opt_state, xs, keys, r * per_round)
        print(r, float(loss[0]))
    with open("params.msgpack", "wb") as handle:
        handle.write(serialization.to_bytes(jax.device_get(jax_utils.unreplicate(params))))


if __name__ == "__main__":
    main()
