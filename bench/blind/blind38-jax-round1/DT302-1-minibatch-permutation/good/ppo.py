"""Clipped policy updates on a pendulum, environments split over the local devices."""
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


class Transition(NamedTuple):
    obs: jax.Array
    action: jax.Array
    logp: jax.Array
    reward: jax.Array


class Carry(NamedTuple):
    params: dict
    opt_state: optax.OptState
    obs: jax.Array
    key: jax.Array


TX = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(3e-4))


def init_params(key, obs_dim=3, hidden=64):
    k1, k2 = jax.random.split(key)
    return {
        "w1": jax.random.normal(k1, (obs_dim, hidden)) / jnp.sqrt(obs_dim),
        "w2": jax.random.normal(k2, (hidden, 1)) * 0.01,
        "log_std": jnp.zeros(()),
    }


def mean_action(params, obs):
    return (jnp.tanh(obs @ params["w1"]) @ params["w2"])[..., 0]


def log_prob(params, obs, action):
    std = jnp.exp(params["log_std"])
    return -0.5 * ((action - mean_action(params, obs)) / std) ** 2 - params["log_std"]


def env_step(obs, action):
    cos, sin, vel = obs[..., 0], obs[..., 1], obs[..., 2]
    theta = jnp.arctan2(sin, cos)
    vel = jnp.clip(vel + 0.05 * (15.0 * sin + 3.0 * jnp.clip(action, -2, 2)), -8, 8)
    theta = theta + 0.05 * vel
    reward = -(theta**2 + 0.1 * vel**2)
    return jnp.stack([jnp.cos(theta), jnp.sin(theta), vel], axis=-1), reward


def rollout(params, obs, key, length):
    def one(carry, step_key):
        now = carry
        noise = jax.random.normal(step_key, now.shape[:-1])
        action = mean_action(params, now) + jnp.exp(params["log_std"]) * noise
        after, reward = env_step(now, action)
        return after, Transition(now, action, log_prob(params, now, action), reward)

    return jax.lax.scan(one, obs, jax.random.split(key, length))


def clipped_loss(params, batch, advantage):
    ratio = jnp.exp(log_prob(params, batch.obs, batch.action) - batch.logp)
    return -jnp.minimum(ratio * advantage, jnp.clip(ratio, 0.8, 1.2) * advantage).mean()


def update(carry, length=32, epochs=4):
    key, k_roll = jax.random.split(carry.key)
    obs, traj = rollout(carry.params, carry.obs, k_roll, length)
    flat = jax.tree.map(lambda x: x.reshape((-1,) + x.shape[2:]), traj)
    advantage = (flat.reward - flat.reward.mean()) / (flat.reward.std() + 1e-6)

    def epoch(state, _):
        params, opt_state, key = state
        key, sub = jax.random.split(key)
        order = jax.random.permutation(sub, flat.reward.shape[0])
        batch = jax.tree.map(lambda x: x[order], flat)
        grads = jax.grad(clipped_loss)(params, batch, advantage[order])
        grads = jax.lax.pmean(grads, "env")
        deltas, opt_state = TX.update(grads, opt_state, params)
        return (optax.apply_updates(params, deltas), opt_state, key), None

    (params, opt_state, key), _ = jax.lax.scan(epoch, (carry.params, carry.opt_state, key), None, length=epochs)
    return Carry(params, opt_state, obs, key), jax.lax.pmean(traj.reward.mean(), "env")


def main(n_env=64, iterations=200):
    n = jax.local_device_count()
    k_init, k_obs, k_run = jax.random.split(jax.random.key(0), 3)
    params = init_params(k_init)
    theta = jax.random.uniform(k_obs, (n, n_env // n), minval=-3.1, maxval=3.1)
    obs = jnp.stack([jnp.cos(theta), jnp.sin(theta), jnp.zeros_like(theta)], axis=-1)
    copy = partial(jax.tree.map, lambda x: jnp.stack([x] * n))
    carry = Carry(copy(params), copy(TX.init(params)), obs, jax.random.split(k_run, n))
    p_update = jax.pmap(update, axis_name="env")
    for i in range(iterations):
        carry, reward = p_update(carry)
        if i % 20 == 0:
            print(i, float(reward[0]))


if __name__ == "__main__":
    main()
