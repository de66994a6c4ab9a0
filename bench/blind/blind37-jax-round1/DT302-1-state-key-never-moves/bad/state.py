import flax.linen as nn
import jax
import jax.numpy as jnp
from flax.training import train_state


class Classifier(nn.Module):
    width: int
    n_classes: int
    rate: float = 0.2

    @nn.compact
    def __call__(self, x, deterministic):
        x = nn.relu(nn.Dense(self.width)(x))
        x = nn.Dropout(self.rate, deterministic=deterministic)(x)
        return nn.Dense(self.n_classes)(x)


class NoisyState(train_state.TrainState):
    """A TrainState that carries the key its dropout draws from."""

    dropout_key: jax.Array


def create(key, tx, width=64, n_classes=10, features=32):
    init_key, dropout_key = jax.random.split(key)
    model = Classifier(width, n_classes)
    params = model.init(init_key, jnp.zeros((1, features)), deterministic=True)["params"]
    return NoisyState.create(apply_fn=model.apply, params=params, tx=tx, dropout_key=dropout_key)
