"""ELBO with several particles and reparametrised samples; guide and model share one sample on purpose; natural key names."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


class Guide(NamedTuple):
    loc: jax.Array
    log_scale: jax.Array

    def sample(self, key):
        return self.loc + jnp.exp(self.log_scale) * jax.random.normal(key, self.loc.shape)

    def log_prob(self, z):
        s = jnp.exp(self.log_scale)
        return jnp.sum(-0.5 * ((z - self.loc) / s) ** 2 - jnp.log(s) - 0.5 * jnp.log(2 * jnp.pi))


def log_joint(z, x, y):
    prior = -0.5 * jnp.sum(z**2)
    return prior - 0.5 * jnp.sum((x @ z - y) ** 2)


def elbo(guide, key, x, y, particles=8):
    def one(k):
        z = guide.sample(k)
        return log_joint(z, x, y) - guide.log_prob(z)

    return jax.vmap(one)(jax.random.split(key, particles)).mean()


def fit(key, x, y, steps=200):
    tx = optax.adam(0.05)
    guide = Guide(jnp.zeros(x.shape[1]), jnp.full(x.shape[1], -1.0))

    def step(carry, key):
        guide, opt = carry
        value, g = jax.value_and_grad(lambda q: -elbo(q, key, x, y))(guide)
        upd, opt = tx.update(g, opt)
        return (optax.apply_updates(guide, upd), opt), value

    (guide, _), trace = jax.lax.scan(step, (guide, tx.init(guide)), jax.random.split(key, steps))
    return guide, trace


def main():
    k_x, k_z, k_y, k_fit, k_post = jax.random.split(jax.random.key(0), 5)
    x = jax.random.normal(k_x, (50, 3))
    z = jax.random.normal(k_z, (3,))
    y = x @ z + jax.random.normal(k_y, (50,))
    guide, trace = jax.jit(fit)(k_fit, x, y)
    draws = jax.vmap(guide.sample)(jax.random.split(k_post, 1000))
    print(z, draws.mean(0), draws.std(0), trace[-1])


if __name__ == "__main__":
    main()
