import flax.linen as nn


class Classifier(nn.Module):
    classes: int
    width: int = 64

    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.relu(nn.Dense(self.width)(x))
        x = nn.Dropout(0.2, deterministic=not train)(x)
        return nn.Dense(self.classes)(x)
