"""Latent dynamics; the update is donated its state because two copies do not fit."""
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


class State(NamedTuple):
    params: dict
    opt_state: optax.OptState


def init(key, obs=16, latent=64):
    ke, kd, kt = jax.random.split(key, 3)
    return {
        "enc": jax.random.normal(ke, (obs, latent)) / 4,
        "dyn": jax.random.normal(kt, (latent, latent)) / 8,
        "dec": jax.random.normal(kd, (latent, obs)) / 8,
    }


def rollout_loss(params, frames):
    latent = jnp.tanh(frames[:, 0] @ params["enc"])

    def step(latent, target):
        latent = latent + jnp.tanh(latent @ params["dyn"])
        return latent, jnp.mean((latent @ params["dec"] - target) ** 2)

    _, errors = jax.lax.scan(step, latent, frames[:, 1:].swapaxes(0, 1))
    return errors.mean()


def make_update(tx):
    @functools.partial(jax.pmap, axis_name="p", donate_argnums=(0,))
    def update(state, frames):
        loss, grads = jax.value_and_grad(rollout_loss)(state.params, frames)
        grads = jax.lax.pmean(grads, axis_name="p")
        updates, opt_state = tx.update(grads, state.opt_state, state.params)
        return State(optax.apply_updates(state.params, updates), opt_state), jax.lax.pmean(loss, axis_name="p")

    return update


def frames(batch, horizon, seed):
    draw = np.random.default_rng(seed)
    devices = jax.local_device_count()
    while True:
        walk = draw.normal(size=(devices, batch, horizon, 16)).cumsum(axis=2)
        yield (walk / np.sqrt(horizon)).astype(np.float32)


def main(updates=400):
    tx = optax.adamw(3e-4)
    params = init(jax.random.PRNGKey(6))
    state = jax_utils.replicate(State(params, tx.init(params)))
    update = make_update(tx)
    for i, clip in zip(range(updates), frames(16, 20, seed=6)):
        state, loss = update(state, clip)
        if i % 100 == 0:
            print(i, float(loss[0]))


if __name__ == "__main__":
    main()
