import flax.linen as nn


class Net(nn.Module):
    rate: float = 0.2

    @nn.compact
    def __call__(self, x, *, deterministic):
        for width in (32, 16):
            x = nn.relu(nn.Dense(width)(x))
            x = nn.Dropout(self.rate)(x, deterministic=deterministic)
        return nn.Dense(1)(x)[..., 0]
