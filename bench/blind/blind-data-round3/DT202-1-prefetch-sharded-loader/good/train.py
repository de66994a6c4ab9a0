import jax
import jax.numpy as jnp
import numpy as np
import optax
import torch
from flax import jax_utils
from flax import linen as nn
from flax.training.train_state import TrainState
from torch.utils.data import DataLoader, TensorDataset


def numpy_batch(rows):
    columns = zip(*rows)
    return tuple(np.stack([np.asarray(value) for value in column]) for column in columns)


def to_devices(batch):
    n = jax.local_device_count()
    return jax.tree.map(lambda a: a.reshape(n, a.shape[0] // n, *a.shape[1:]), batch)


class Classifier(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(nn.relu(nn.Dense(32)(x)))


def train_step(state, batch):
    x, y = batch

    def objective(params):
        logits = state.apply_fn(params, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    grads = jax.lax.pmean(jax.grad(objective)(state.params), "d")
    return state.apply_gradients(grads=grads)


def main(epochs=2):
    x = torch.randn(1301, 10, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :3].argmax(1))
    options = {"batch_size": 40, "shuffle": True, "collate_fn": numpy_batch, "drop_last": True}
    loader = DataLoader(data, **options)
    model = Classifier()
    params = model.init(jax.random.PRNGKey(0), jnp.zeros((1, 10)))
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(0.1))
    state = jax_utils.replicate(state)
    p_step = jax.pmap(train_step, axis_name="d")
    for _ in range(epochs):
        for batch in jax_utils.prefetch_to_device(map(to_devices, loader), 2):
            state = p_step(state, batch)
    return jax_utils.unreplicate(state)


if __name__ == "__main__":
    print(jax.tree.map(lambda a: a.shape, main().params))
