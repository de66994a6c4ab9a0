"""Gibbs sampler: lax.switch over site updates, checkerboard Ising with two half updates, keys unpacked from rows."""
import functools

import jax
import jax.numpy as jnp


def half_update(key, spins, mask, beta):
    field = sum(jnp.roll(spins, s, a) for s in (-1, 1) for a in (0, 1))
    up = jax.nn.sigmoid(2 * beta * field)
    new = jnp.where(jax.random.uniform(key, spins.shape) < up, 1, -1)
    return jnp.where(mask, new, spins)


@functools.partial(jax.jit, static_argnums=2)
def ising(key, beta, sweeps, size=16):
    board = (jnp.arange(size)[:, None] + jnp.arange(size)) % 2 == 0
    start_key, key = jax.random.split(key)
    spins = jnp.where(jax.random.bernoulli(start_key, 0.5, (size, size)), 1, -1)

    def sweep(spins, keys):
        spins = half_update(keys[0], spins, board, beta)
        spins = half_update(keys[1], spins, ~board, beta)
        return spins, spins.mean()

    keys = jax.random.split(key, 2 * sweeps).reshape(sweeps, 2)
    return jax.lax.scan(sweep, spins, keys)


def update_mu(key, s, x):
    post = 1 / (len(x) / s["var"] + 0.01)
    return {**s, "mu": post * x.sum() / s["var"] + jnp.sqrt(post) * jax.random.normal(key)}


def update_var(key, s, x):
    shape, rate = 2 + len(x) / 2, 1 + 0.5 * ((x - s["mu"]) ** 2).sum()
    return {**s, "var": rate / jax.random.gamma(key, shape)}


def gibbs(key, x, n):
    def body(s, key):
        which_key, upd_key = jax.random.split(key)
        which = jax.random.randint(which_key, (), 0, 2)
        s = jax.lax.switch(which, [update_mu, update_var], upd_key, s, x)
        return s, s

    return jax.lax.scan(body, {"mu": jnp.zeros(()), "var": jnp.ones(())}, jax.random.split(key, n))[1]


def main():
    k1, k2, k3 = jax.random.split(jax.random.key(0), 3)
    spins, trace = ising(k1, 0.5, 50)
    x = 3 + 2 * jax.random.normal(k2, (100,))
    trace2 = jax.jit(gibbs, static_argnums=2)(k3, x, 500)
    print(float(jnp.abs(trace[-1])), float(trace2["mu"][100:].mean()), float(trace2["var"][100:].mean()))


if __name__ == "__main__":
    main()
