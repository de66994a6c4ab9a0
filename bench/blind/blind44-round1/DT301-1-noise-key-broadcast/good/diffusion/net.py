import flax.linen as nn
import jax.numpy as jnp


class Denoiser(nn.Module):
    dim: int

    @nn.compact
    def __call__(self, x, t):
        emb = jnp.stack([jnp.sin(t / 100.0), jnp.cos(t / 100.0)], -1)
        h = nn.Dense(64)(jnp.concatenate([x, emb], -1))
        return nn.Dense(self.dim)(nn.silu(h))
