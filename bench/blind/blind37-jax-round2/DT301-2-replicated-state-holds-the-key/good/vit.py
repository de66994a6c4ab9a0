import flax.linen as nn
import jax.numpy as jnp


class MixerBlock(nn.Module):
    tokens: int
    channels: int
    drop: float

    @nn.compact
    def __call__(self, x, deterministic: bool):
        y = nn.LayerNorm()(x).swapaxes(1, 2)
        y = nn.Dense(x.shape[1])(nn.gelu(nn.Dense(self.tokens)(y))).swapaxes(1, 2)
        x = x + nn.Dropout(self.drop)(y, deterministic=deterministic)
        y = nn.Dense(x.shape[2])(nn.gelu(nn.Dense(self.channels)(nn.LayerNorm()(x))))
        return x + nn.Dropout(self.drop)(y, deterministic=deterministic)


class Mixer(nn.Module):
    classes: int = 10
    width: int = 32
    depth: int = 2
    drop: float = 0.1

    @nn.compact
    def __call__(self, patches, deterministic: bool = False):
        x = nn.Dense(self.width)(patches)
        for _ in range(self.depth):
            x = MixerBlock(32, 64, self.drop)(x, deterministic)
        return nn.Dense(self.classes, dtype=jnp.float32)(x.mean(axis=1))
