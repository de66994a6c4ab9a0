import flax.linen as nn
import jax.numpy as jnp


class ConvNorm(nn.Module):
    features: int
    axis_name: str = "devices"

    @nn.compact
    def __call__(self, x, train):
        x = nn.Conv(self.features, (3, 3), use_bias=False)(x)
        x = nn.BatchNorm(use_running_average=not train, axis_name=self.axis_name if train else None)(x)
        return nn.relu(x)


class Segmenter(nn.Module):
    widths: tuple = (8, 16)

    @nn.compact
    def __call__(self, x, train):
        for w in self.widths:
            x = ConvNorm(w)(x, train)
        return nn.Conv(1, (1, 1))(x)[..., 0]
