"""A small vectorised actor in the style of end-to-end jitted RL."""
from typing import Any, NamedTuple

import chex
import distrax_like as dx
import jax
import jax.numpy as jnp


class Transition(NamedTuple):
    obs: jnp.ndarray
    action: jnp.ndarray
    reward: jnp.ndarray


@chex.dataclass(frozen=True)
class Runner:
    params: Any
    obs: jnp.ndarray
    key: chex.PRNGKey


class NoisyLine:
    def reset(self, key):
        return jax.random.uniform(key, (2,), minval=-1.0)

    def step(self, key, obs, action):
        obs = obs + 0.1 * action + 0.01 * jax.random.normal(key, obs.shape)
        return obs, -jnp.sum(obs**2)


def make_train(env, num_envs, horizon):
    def env_step(runner, _):
        key, k_act, k_step = jax.random.split(runner.key, 3)
        policy = dx.Normal(runner.obs @ runner.params, 0.1)
        action = policy.sample(k_act)
        obs, reward = jax.vmap(env.step)(jax.random.split(k_step, num_envs), runner.obs, action)
        return runner.replace(obs=obs, key=key), Transition(runner.obs, action, reward)

    def train(key):
        k_params, k_reset, k_run = jax.random.split(key, 3)
        params = 0.1 * jax.random.normal(k_params, (2, 2))
        obs = jax.vmap(env.reset)(jax.random.split(k_reset, num_envs))
        runner = Runner(params=params, obs=obs, key=k_run)
        runner, traj = jax.lax.scan(env_step, runner, None, horizon)
        return traj.reward.mean()

    return train


if __name__ == "__main__":
    train = jax.jit(make_train(NoisyLine(), num_envs=8, horizon=16))
    print(train(jax.random.PRNGKey(3)))
