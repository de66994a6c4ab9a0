"""Convnet on an npz file; the batches of a torch DataLoader go through pmap."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.jax_utils import replicate, unreplicate
from flax.training.common_utils import shard
from flax.training.train_state import TrainState
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self, path):
        with np.load(path) as blob:
            self.images, self.labels = blob["x_train"], blob["y_train"]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.images[i][..., None].astype(np.float32) / 255.0, int(self.labels[i])


def stack(rows):
    images, labels = zip(*rows)
    return {"image": np.stack(images), "label": np.array(labels)}


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        for features in (16, 32):
            x = nn.max_pool(nn.relu(nn.Conv(features, (3, 3))(x)), (2, 2), strides=(2, 2))
        return nn.Dense(10)(x.reshape(x.shape[0], -1))


def update(state, batch):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["image"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=jax.lax.pmean(grads, "b")), jax.lax.pmean(loss, "b")


def main(path="mnist.npz", epochs=3, batch=256):
    model = Net()
    params = model.init(jax.random.PRNGKey(0), jnp.zeros((1, 28, 28, 1)))["params"]
    state = replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3)))
    p_update = jax.pmap(update, axis_name="b", donate_argnums=(0,))
    loader = DataLoader(Digits(path), batch_size=batch, shuffle=True, collate_fn=stack)
    for epoch in range(epochs):
        losses = []
        for rows in loader:
            state, loss = p_update(state, shard(rows))
            losses.append(loss)
        print(epoch, float(np.mean([unreplicate(v) for v in losses])))


if __name__ == "__main__":
    main()
