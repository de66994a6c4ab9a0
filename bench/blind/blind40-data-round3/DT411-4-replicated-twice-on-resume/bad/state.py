import pathlib

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import jax_utils, serialization
from flax.training.train_state import TrainState


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(2)(nn.relu(nn.Dense(40)(x)))


def create(path):
    net = Net()
    params = net.init(jax.random.PRNGKey(0), jnp.zeros((1, 9)))["params"]
    state = TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))
    path = pathlib.Path(path)
    if path.exists():
        state = serialization.from_bytes(state, path.read_bytes())
    return jax_utils.replicate(state)


def store(path, state):
    if jax.process_index() == 0:
        pathlib.Path(path).write_bytes(serialization.to_bytes(jax_utils.unreplicate(state)))
