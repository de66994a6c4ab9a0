import flax.linen as nn
import jax
import jax.numpy as jnp


class Denoiser(nn.Module):
    width: int = 64

    @nn.compact
    def __call__(self, x, t):
        h = jnp.concatenate([x, t[:, None]], axis=-1)
        h = nn.silu(nn.Dense(self.width)(h))
        return nn.Dense(x.shape[-1])(h)


def corrupt(rng, x):
    t_rng, eps_rng = jax.random.split(rng)
    t = jax.random.uniform(t_rng, (x.shape[0],), minval=1e-3)
    eps = jax.random.normal(eps_rng, x.shape)
    alpha = jnp.cos(t * jnp.pi / 2)[:, None]
    sigma = jnp.sin(t * jnp.pi / 2)[:, None]
    return alpha * x + sigma * eps, t, eps
