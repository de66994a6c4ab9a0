import flax.linen as nn
import jax.numpy as jnp


def dense(features, names, name=None):
    init = nn.with_partitioning(nn.initializers.lecun_normal(), names)
    return nn.Dense(features, kernel_init=init, use_bias=False, name=name)


class FeedForward(nn.Module):
    width: int
    hidden: int

    @nn.compact
    def __call__(self, x):
        y = nn.gelu(dense(self.hidden, (None, "model"), "up")(x))
        return x + dense(self.width, ("model", None), "down")(y)


class Stack(nn.Module):
    width: int = 64
    depth: int = 2

    @nn.compact
    def __call__(self, x):
        for _ in range(self.depth):
            x = FeedForward(self.width, 4 * self.width)(x)
        return jnp.mean(x, axis=-1)
