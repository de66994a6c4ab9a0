import jax
import jax.numpy as jnp


def denoise(params, x, t):
    h = jnp.tanh(x @ params["w"] + t)
    return h @ params["v"]


def sample(params, key, n, steps=50):
    """Ancestral sampling with a fixed schedule."""
    key, start = jax.random.split(key)
    x = jax.random.normal(start, (n, 8))

    def body(carry, t):
        x, key = carry
        next_key, noise_key = jax.random.split(key)
        noise = jax.random.normal(noise_key, x.shape)
        x = x - 0.1 * denoise(params, x, t) + 0.05 * noise
        return (x, next_key), None

    (x, _), _ = jax.lax.scan(body, (x, key), jnp.linspace(1.0, 0.0, steps))
    return x
