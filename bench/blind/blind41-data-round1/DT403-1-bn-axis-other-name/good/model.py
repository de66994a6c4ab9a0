import flax.linen as nn


class ConvNet(nn.Module):
    classes: int = 10
    sync_axis: str = "batch"

    @nn.compact
    def __call__(self, x, train):
        for width in (16, 32):
            x = nn.Conv(width, (3, 3), use_bias=False)(x)
            x = nn.BatchNorm(use_running_average=not train, axis_name=self.sync_axis if train else None)(x)
            x = nn.relu(x)
        return nn.Dense(self.classes)(x.mean(axis=(1, 2)))
