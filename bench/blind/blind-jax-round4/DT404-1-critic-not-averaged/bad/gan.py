from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


class Players(NamedTuple):
    gen: dict
    critic: dict
    gen_opt: optax.OptState
    critic_opt: optax.OptState


def init(key, z=4, d=6, h=24):
    ks = jax.random.split(key, 4)
    gen = {"a": jax.random.normal(ks[0], (z, h)) * 0.3, "b": jax.random.normal(ks[1], (h, d)) * 0.3}
    critic = {"a": jax.random.normal(ks[2], (d, h)) * 0.3, "b": jax.random.normal(ks[3], (h, 1)) * 0.3}
    return gen, critic


def run(p, x):
    return jax.nn.leaky_relu(x @ p["a"]) @ p["b"]


def critic_loss(critic, gen, real, z):
    return jnp.mean(jax.nn.softplus(-run(critic, real))) + jnp.mean(jax.nn.softplus(run(critic, run(gen, z))))


def gen_loss(gen, critic, z):
    return jnp.mean(jax.nn.softplus(-run(critic, run(gen, z))))
