from typing import NamedTuple

import jax
import jax.numpy as jnp


class Chain(NamedTuple):
    x: jax.Array
    key: jax.Array
    accepted: jax.Array


def energy(x):
    return jnp.sum((x**2 - 1) ** 2)


def propose(chain: Chain, width: float):
    key, k_move, k_accept = jax.random.split(chain.key, 3)
    y = chain.x + width * jax.random.normal(k_move, chain.x.shape)
    take = jnp.log(jax.random.uniform(k_accept)) < energy(chain.x) - energy(y)
    return Chain(jnp.where(take, y, chain.x), key, chain.accepted + take)


def start(key, dim):
    k_x, k_chain = jax.random.split(key)
    return Chain(jax.random.normal(k_x, (dim,)), k_chain, jnp.zeros((), jnp.int32))


def sweep(chain, width, steps):
    return jax.lax.fori_loop(0, steps, lambda _, c: propose(c, width), chain)
