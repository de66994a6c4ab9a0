"""GAN: discriminator and generator step with their own keys."""
import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


class Generator(nn.Module):
    @nn.compact
    def __call__(self, z):
        return nn.Dense(2)(nn.relu(nn.Dense(16)(z)))


class Discriminator(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.leaky_relu(nn.Dense(16)(x)))[:, 0]


G, D = Generator(), Discriminator()
g_tx, d_tx = optax.adam(1e-3), optax.adam(1e-3)


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
    g: dict
    d: dict
    g_opt: optax.OptState
    d_opt: optax.OptState
    key: jax.Array


def bce(logits, target):
    return optax.sigmoid_binary_cross_entropy(logits, jnp.full_like(logits, target)).mean()


@partial(jax.jit, donate_argnums=0)
def step(state, real):
    next_key, d_key, g_key = jax.random.split(state.key, 3)

    def d_loss(d):
        fake = G.apply(state.g, jax.random.normal(d_key, (real.shape[0], 4)))
        return bce(D.apply(d, real), 0.9) + bce(D.apply(d, fake), 0.0)

    dl, dg = jax.value_and_grad(d_loss)(state.d)
    upd, d_opt = d_tx.update(dg, state.d_opt)
    d = optax.apply_updates(state.d, upd)

    def g_loss(g):
        fake = G.apply(g, jax.random.normal(g_key, (real.shape[0], 4)))
        return bce(D.apply(d, fake), 1.0)

    gl, gg = jax.value_and_grad(g_loss)(state.g)
    upd, g_opt = g_tx.update(gg, state.g_opt)
    g = optax.apply_updates(state.g, upd)
    return State(g, d, g_opt, d_opt, next_key), {"d": dl, "g": gl}


def create(seed):
    g_key, d_key, loop_key = jax.random.split(jax.random.key(seed), 3)
    g = G.init(g_key, jnp.zeros((1, 4)))
    d = D.init(d_key, jnp.zeros((1, 2)))
    return State(g, d, g_tx.init(g), d_tx.init(d), loop_key)


def real_data(key, n):
    angle_key, noise_key = jax.random.split(key)
    angle = jax.random.uniform(angle_key, (n,), maxval=2 * jnp.pi)
    return jnp.stack([jnp.cos(angle), jnp.sin(angle)], 1) + 0.05 * jax.random.normal(noise_key, (n, 2))


if __name__ == "__main__":
    state = create(0)
    data_key = jax.random.key(99)
    for i in range(30):
        data_key, k = jax.random.split(data_key)
        state, logs = step(state, real_data(k, 64))
    print({k: float(v) for k, v in logs.items()})
