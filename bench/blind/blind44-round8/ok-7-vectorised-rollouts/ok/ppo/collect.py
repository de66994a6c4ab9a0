import jax
import jax.numpy as jnp

from ppo import env


def rollout(params, key, length):
    k_reset, k_run = jax.random.split(key)

    def turn(state, k):
        k_act, k_env = jax.random.split(k)
        mean = jnp.tanh(state @ params["w"])
        action = mean + 0.1 * jax.random.normal(k_act, mean.shape)
        state, reward = env.step(k_env, state, action)
        return state, (state, action - mean, reward)

    _, out = jax.lax.scan(turn, env.reset(k_reset), jax.random.split(k_run, length))
    return out


def many(params, key, count, length):
    return jax.vmap(lambda k: rollout(params, k, length))(jax.random.split(key, count))
