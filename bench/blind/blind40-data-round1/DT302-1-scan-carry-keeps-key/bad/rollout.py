from typing import NamedTuple

import jax
import jax.numpy as jnp


class Transition(NamedTuple):
    obs: jax.Array
    action: jax.Array
    log_prob: jax.Array
    reward: jax.Array


def policy_mean(params, obs):
    return jnp.tanh(obs @ params["w1"]) @ params["w2"]


def env_step(position, action):
    position = 0.95 * position + 0.1 * action
    return position, -jnp.sum(position**2, axis=-1)


def sample(params, obs, key):
    mean = policy_mean(params, obs)
    action = mean + jnp.exp(params["log_std"]) * jax.random.normal(key, mean.shape)
    log_prob = -0.5 * jnp.sum(((action - mean) / jnp.exp(params["log_std"])) ** 2 + 2 * params["log_std"], axis=-1)
    return action, log_prob


def collect(params, position, key, length):
    def one(carry, _):
        position, key = carry
        action, log_prob = sample(params, position, key)
        following, reward = env_step(position, action)
        return (following, key), Transition(position, action, log_prob, reward)

    (position, _), trajectory = jax.lax.scan(one, (position, key), None, length=length)
    return position, trajectory
