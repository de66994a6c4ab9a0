import jax
import jax.numpy as jnp


def sample_time(key, n):
    """Low-discrepancy times in (0, 1)."""
    return (jax.random.uniform(key, ()) + jnp.arange(n) / n) % 1.0


def forward_noise(key, x, t):
    eps = jax.random.normal(key, x.shape)
    alpha = jnp.cos(0.5 * jnp.pi * t)[:, None]
    return alpha * x + jnp.sqrt(1 - alpha**2) * eps, eps
