from functools import partial

import flax.linen as nn
import jax.numpy as jnp


class ConvBlock(nn.Module):
    features: int
    norm: type

    @nn.compact
    def __call__(self, x):
        x = nn.Conv(self.features, (3, 3), strides=2, use_bias=False)(x)
        return nn.relu(self.norm()(x))


class ConvNet(nn.Module):
    widths: tuple = (16, 32, 64)
    classes: int = 100
    norm_axis: str = "batch"

    @nn.compact
    def __call__(self, x, train):
        norm = partial(nn.BatchNorm, use_running_average=not train, momentum=0.95, axis_name=self.norm_axis)
        for width in self.widths:
            x = ConvBlock(width, norm)(x)
        return nn.Dense(self.classes)(jnp.mean(x, axis=(1, 2)))
