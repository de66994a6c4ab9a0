import functools

import jax
import jax.numpy as jnp

from rl import env


def policy(params, state):
    return jnp.tanh(state.pos @ params["w"] + params["b"])


def collect(params, key, length):
    def turn(carry, _):
        state, key = carry
        mean = policy(params, state)
        noise = jax.random.normal(key, mean.shape)
        key, _ = jax.random.split(key)
        action = mean + 0.3 * noise
        state, reward = env.step(state, action)
        return (state, key), (noise, reward)

    _, (noise, rewards) = jax.lax.scan(turn, (env.reset(), key), None, length)
    return noise, rewards


@functools.partial(jax.jit, static_argnames="length")
def batch_return(params, keys, length=20):
    return jax.vmap(lambda k: collect(params, k, length)[1].sum())(keys).mean()
