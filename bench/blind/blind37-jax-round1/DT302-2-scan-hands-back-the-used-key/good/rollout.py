"""REINFORCE on a vectorised point-mass, the whole rollout inside one scan."""
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


@dataclass(frozen=True)
class Config:
    n_envs: int = 256
    horizon: int = 32
    updates: int = 50
    lr: float = 3e-3
    seed: int = 4


class Carry(NamedTuple):
    position: jax.Array
    key: jax.Array


def policy(params, obs):
    hidden = jnp.tanh(obs @ params["w1"] + params["b1"])
    return hidden @ params["w2"], jnp.exp(params["log_std"])


def init_params(key):
    k1, k2 = jax.random.split(key)
    return {
        "w1": jax.random.normal(k1, (2, 32)) * 0.5,
        "b1": jnp.zeros(32),
        "w2": jax.random.normal(k2, (32, 2)) * 0.1,
        "log_std": jnp.full((2,), -0.5),
    }


def unroll(params, position, key, horizon):
    def one(carry, _):
        key, k_act = jax.random.split(carry.key)
        mean, std = policy(params, carry.position)
        action = mean + std * jax.random.normal(k_act, mean.shape)
        position = carry.position + 0.1 * action
        reward = -jnp.sum(position**2, axis=-1)
        logp = -0.5 * jnp.sum(((jax.lax.stop_gradient(action) - mean) / std) ** 2 + 2 * jnp.log(std), -1)
        return Carry(position, key), (logp, reward)

    _, (logps, rewards) = jax.lax.scan(one, Carry(position, key), None, length=horizon)
    return logps, rewards


def make_update(cfg, tx):
    def surrogate(params, position, key):
        logps, rewards = unroll(params, position, key, cfg.horizon)
        returns = jnp.cumsum(rewards[::-1], 0)[::-1]
        advantage = returns - returns.mean(axis=1, keepdims=True)
        return -(logps * jax.lax.stop_gradient(advantage)).mean(), rewards.mean()

    @jax.jit
    def update(params, opt_state, key):
        k_reset, k_roll = jax.random.split(key)
        position = jax.random.uniform(k_reset, (cfg.n_envs, 2), minval=-1.0)
        grads, reward = jax.grad(surrogate, has_aux=True)(params, position, k_roll)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, reward

    return update


def main(cfg=Config()):
    k_init, k_loop = jax.random.split(jax.random.key(cfg.seed))
    params = init_params(k_init)
    tx = optax.adam(cfg.lr)
    opt_state = tx.init(params)
    update = make_update(cfg, tx)
    for i, key in enumerate(jax.random.split(k_loop, cfg.updates)):
        params, opt_state, reward = update(params, opt_state, key)
        if i % 10 == 0:
            print(i, float(reward))


if __name__ == "__main__":
    main()
