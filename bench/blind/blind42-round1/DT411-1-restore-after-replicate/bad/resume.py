"""Autoencoder with checkpoint and resume (flax msgpack, pmap)."""
import os

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, serialization
from flax.training.train_state import TrainState

CKPT = os.environ.get("CKPT", "/tmp/ae.msgpack")


class AE(nn.Module):
    @nn.compact
    def __call__(self, x):
        z = nn.relu(nn.Dense(64)(x))
        z = nn.Dense(8)(z)
        return nn.Dense(100)(nn.relu(nn.Dense(64)(z)))


def train_step(state, x):
    def loss_fn(params):
        return jnp.mean((state.apply_fn({"params": params}, x) - x) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=jax.lax.pmean(grads, "b")), jax.lax.pmean(loss, "b")


p_train_step = jax.pmap(train_step, axis_name="b")


def create_state():
    model = AE()
    params = model.init(jax.random.PRNGKey(0), jnp.zeros((1, 100)))["params"]
    return TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))


def save(state):
    with open(CKPT + ".tmp", "wb") as fh:
        fh.write(serialization.to_bytes(jax_utils.unreplicate(state)))
    os.replace(CKPT + ".tmp", CKPT)


def restore(state):
    with open(CKPT, "rb") as fh:
        return serialization.from_bytes(state, fh.read())


def main(steps=100):
    state = create_state()
    state = jax_utils.replicate(state)
    if os.path.exists(CKPT):
        state = restore(jax_utils.unreplicate(state))
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for step in range(steps):
        x = rng.normal(size=(n, 16, 100)).astype(np.float32)
        state, loss = p_train_step(state, x)
        if (step + 1) % 50 == 0:
            save(state)
            print(step, float(loss[0]))


if __name__ == "__main__":
    main()
