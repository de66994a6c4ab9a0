"""Envs that keep their key in the state; vmapped reset/step with auto reset; the key goes back unchanged where fold_in is used."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class EnvState(NamedTuple):
    key: jax.Array
    t: jax.Array
    x: jax.Array


def reset(key):
    key, sub = jax.random.split(key)
    return EnvState(key, jnp.zeros((), jnp.int32), jax.random.normal(sub, (2,)))


def step(state, action):
    noise = jax.random.normal(jax.random.fold_in(state.key, state.t), (2,))
    x = 0.9 * state.x + 0.1 * action + 0.1 * noise
    nxt = EnvState(state.key, state.t + 1, x)
    done = nxt.t >= 8
    fresh = reset(jax.random.fold_in(state.key, 10_000))
    nxt = jax.tree.map(lambda a, b: jnp.where(done, a, b), fresh, nxt)
    return nxt, -jnp.sum(x**2), done


def main(envs=4):
    env_key, act_key = jax.random.split(jax.random.key(0))
    state = jax.vmap(reset)(jax.random.split(env_key, envs))
    v_step = jax.jit(jax.vmap(step))
    total = 0.0
    for i in range(20):
        action = jax.random.normal(jax.random.fold_in(act_key, i), (envs, 2))
        state, reward, done = v_step(state, action)
        total += float(reward.mean())
    print(total, state.t)


if __name__ == "__main__":
    main()
