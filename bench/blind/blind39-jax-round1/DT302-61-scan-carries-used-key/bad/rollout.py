"""On-policy data collection for a point-mass task, one copy of the envs per device."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class EnvState(NamedTuple):
    position: jax.Array
    velocity: jax.Array
    time: jax.Array


class Transition(NamedTuple):
    obs: jax.Array
    action: jax.Array
    reward: jax.Array


def reset(key):
    position = jax.random.uniform(key, (2,), minval=-1.0, maxval=1.0)
    return EnvState(position, jnp.zeros(2), jnp.zeros((), jnp.int32))


def observe(env):
    return jnp.concatenate([env.position, env.velocity])


def env_step(env, action):
    velocity = 0.9 * env.velocity + 0.1 * jnp.clip(action, -1.0, 1.0)
    position = env.position + velocity
    return EnvState(position, velocity, env.time + 1), -jnp.sum(position**2)


def policy(params, obs):
    return jnp.tanh(obs @ params["w"] + params["b"])


def collect(params, envs, key, horizon):
    """horizon steps of all envs of this device; the key of the last step is returned."""

    def one_step(carry, _):
        envs, key = carry
        next_key, action_key = jax.random.split(key)
        obs = jax.vmap(observe)(envs)
        mean = policy(params, obs)
        action = mean + 0.2 * jax.random.normal(action_key, mean.shape)
        envs, reward = jax.vmap(env_step)(envs, action)
        return (envs, key), Transition(obs, action, reward)

    (envs, key), path = jax.lax.scan(one_step, (envs, key), None, length=horizon)
    return envs, key, path
