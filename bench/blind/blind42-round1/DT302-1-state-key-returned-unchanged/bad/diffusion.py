"""Denoising diffusion on 2-D points, one jitted step with a carried state."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


class Carry(NamedTuple):
    params: dict
    opt: optax.OptState
    key: jax.Array
    step: jax.Array


def init_params(key, width=128):
    k1, k2, k3 = jax.random.split(key, 3)
    return {
        "in": jax.random.normal(k1, (3, width)) * 0.3,
        "mid": jax.random.normal(k2, (width, width)) * 0.05,
        "out": jax.random.normal(k3, (width, 2)) * 0.05,
    }


def predict(params, x, t):
    h = jnp.concatenate([x, t[:, None]], axis=-1) @ params["in"]
    h = jax.nn.silu(h)
    h = h + jax.nn.silu(h @ params["mid"])
    return h @ params["out"]


def make_step(optimizer, steps=100):
    betas = jnp.linspace(1e-4, 0.02, steps)
    alpha_bar = jnp.cumprod(1.0 - betas)

    def loss_fn(params, x0, t_key, noise_key):
        t = jax.random.randint(t_key, (x0.shape[0],), 0, steps)
        eps = jax.random.normal(noise_key, x0.shape)
        a = alpha_bar[t][:, None]
        xt = jnp.sqrt(a) * x0 + jnp.sqrt(1 - a) * eps
        return jnp.mean((predict(params, xt, t / steps) - eps) ** 2)

    @jax.jit
    def step(carry, x0):
        t_key, noise_key = jax.random.split(carry.key)
        loss, grads = jax.value_and_grad(loss_fn)(carry.params, x0, t_key, noise_key)
        updates, opt = optimizer.update(grads, carry.opt, carry.params)
        params = optax.apply_updates(carry.params, updates)
        return carry._replace(params=params, opt=opt, step=carry.step + 1), loss

    return step


def two_moons(key, n):
    ka, kn = jax.random.split(key)
    angle = jax.random.uniform(ka, (n,)) * jnp.pi
    pts = jnp.stack([jnp.cos(angle), jnp.sin(angle)], axis=-1)
    return pts + 0.05 * jax.random.normal(kn, pts.shape)


def main(steps=300):
    k_init, k_data, k_train = jax.random.split(jax.random.PRNGKey(3), 3)
    optimizer = optax.adam(2e-3)
    params = init_params(k_init)
    carry = Carry(params, optimizer.init(params), k_train, jnp.zeros((), jnp.int32))
    step = make_step(optimizer)
    for i in range(steps):
        carry, loss = step(carry, two_moons(jax.random.fold_in(k_data, i), 256))
    print(int(carry.step), float(loss))


if __name__ == "__main__":
    main()
