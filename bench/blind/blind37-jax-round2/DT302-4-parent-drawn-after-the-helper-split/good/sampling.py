import jax
import jax.numpy as jnp


def langevin(score, x, key, steps=50, eps=1e-2):
    """Unadjusted Langevin dynamics, a key for each of its steps."""

    def body(x, k):
        return x + eps * score(x) + jnp.sqrt(2 * eps) * jax.random.normal(k, x.shape), None

    x, _ = jax.lax.scan(body, x, jax.random.split(key, steps))
    return x
