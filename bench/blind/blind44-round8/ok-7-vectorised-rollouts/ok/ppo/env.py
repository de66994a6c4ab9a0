import jax
import jax.numpy as jnp


def reset(key):
    return jax.random.uniform(key, (2,), minval=-0.1, maxval=0.1)


def step(key, state, action):
    noise = 0.01 * jax.random.normal(key, state.shape)
    state = jnp.clip(state + 0.1 * action + noise, -1, 1)
    return state, -jnp.abs(state - 0.5).sum()
