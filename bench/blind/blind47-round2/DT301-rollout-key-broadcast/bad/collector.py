import functools

import jax
import jax.numpy as jnp
from jax import lax


def transition(x, action):
    x = 0.9 * x + 0.1 * action
    return x, -jnp.sum(x**2)


def episode(params, key, dim, horizon):
    k_start, k_noise = jax.random.split(key)

    def step(x, noise):
        action = x @ params["w"] + 0.3 * noise
        y, reward = transition(x, action)
        return y, (x, action, reward)

    noises = jax.random.normal(k_noise, (horizon, dim))
    return lax.scan(step, jax.random.normal(k_start, (dim,)), noises)[1]


class Collector:
    def __init__(self, env):
        run = functools.partial(episode, dim=env.dim, horizon=env.horizon)
        self._run = jax.pmap(run, in_axes=(0, None))

    def collect(self, params, key):
        return self._run(params, key)
