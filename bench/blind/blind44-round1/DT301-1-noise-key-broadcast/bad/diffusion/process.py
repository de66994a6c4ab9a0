import jax
import jax.numpy as jnp


def alphas(steps=1000):
    betas = jnp.linspace(1e-4, 0.02, steps)
    return jnp.cumprod(1.0 - betas)


def q_sample(key, x0, table):
    k_t, k_eps = jax.random.split(key)
    t = jax.random.randint(k_t, (x0.shape[0],), 0, table.shape[0])
    eps = jax.random.normal(k_eps, x0.shape)
    a = table[t][:, None]
    return jnp.sqrt(a) * x0 + jnp.sqrt(1 - a) * eps, t, eps
