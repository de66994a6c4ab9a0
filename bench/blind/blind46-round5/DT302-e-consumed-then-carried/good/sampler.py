from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class Chain(NamedTuple):
    key: jax.Array
    x: jax.Array
    accepted: jax.Array


def log_density(x):
    return -0.5 * jnp.sum((x / jnp.array([1.0, 3.0])) ** 2, axis=-1)


def metropolis(chain: Chain, _):
    key, k_step, k_accept = jax.random.split(chain.key, 3)
    proposal = chain.x + 0.8 * jax.random.normal(k_step, chain.x.shape)
    logu = jnp.log(jax.random.uniform(k_accept, chain.x.shape[:1]))
    take = logu < log_density(proposal) - log_density(chain.x)
    x = jnp.where(take[:, None], proposal, chain.x)
    return Chain(key, x, chain.accepted + take.mean()), x


def sample(key, chains=32, steps=200):
    k_init, k_run = jax.random.split(key)
    start = Chain(k_run, jax.random.normal(k_init, (chains, 2)), jnp.zeros(()))
    last, draws = lax.scan(metropolis, start, length=steps)
    return draws, last.accepted / steps


def main():
    run = jax.pmap(sample, axis_name="host")
    keys = jax.random.split(jax.random.key(0), jax.local_device_count())
    draws, rate = run(keys)
    print(draws.shape, float(rate.mean()), draws.std(axis=(0, 1, 2)))


if __name__ == "__main__":
    main()
