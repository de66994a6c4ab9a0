import flax.linen as nn
import jax.numpy as jnp


class Mixer(nn.Module):
    width: int
    depth: int
    rate: float = 0.1

    @nn.compact
    def __call__(self, x, train):
        for _ in range(self.depth):
            y = nn.LayerNorm()(x)
            y = nn.Dense(self.width)(nn.gelu(nn.Dense(2 * self.width)(y)))
            x = x + nn.Dropout(self.rate, deterministic=not train)(y)
        return nn.Dense(3)(x.mean(1))
