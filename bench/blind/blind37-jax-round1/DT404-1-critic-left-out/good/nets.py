import flax.linen as nn


class Generator(nn.Module):
    width: int = 64

    @nn.compact
    def __call__(self, z):
        z = nn.leaky_relu(nn.Dense(self.width)(z))
        return nn.Dense(16)(z)


class Critic(nn.Module):
    width: int = 64

    @nn.compact
    def __call__(self, x):
        x = nn.leaky_relu(nn.Dense(self.width)(x))
        return nn.Dense(1)(x)[..., 0]
