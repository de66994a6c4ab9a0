import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import train_state
from torch.utils.data import DataLoader
from torchvision.datasets import CIFAR10


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        for width in (32, 64, 128):
            x = nn.relu(nn.Conv(width, (3, 3), strides=2)(x))
        return nn.Dense(10)(x.mean((1, 2)))


def collate(rows):
    images, labels = zip(*rows)
    return np.stack([np.asarray(i, dtype=np.float32) / 255 for i in images]), np.array(labels)


def loaders(batch):
    train, test = CIFAR10("/data", train=True), CIFAR10("/data", train=False)
    train = DataLoader(train, batch_size=batch, shuffle=True, collate_fn=collate)
    return train, DataLoader(test, batch_size=batch, collate_fn=collate)


def to_devices(tree):
    devices = jax.local_device_count()
    return jax.tree.map(lambda a: a.reshape(devices, -1, *a.shape[1:]), tree)


@functools.partial(jax.pmap, axis_name="batch", donate_argnums=(0,))
def train_step(state, images, labels):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, images)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "batch")


@jax.jit
def correct(params, images, labels):
    return (Net().apply({"params": params}, images).argmax(-1) == labels).sum()


def main(epochs=5, per_device=64):
    batch = per_device * jax.local_device_count()
    train, test = loaders(batch)
    params = Net().init(jax.random.key(0), jnp.zeros((1, 32, 32, 3)))["params"]
    state = train_state.TrainState.create(apply_fn=Net().apply, params=params, tx=optax.adam(1e-3))
    state = jax_utils.replicate(state)
    for epoch in range(epochs):
        for images, labels in train:
            state, loss = train_step(state, *to_devices((images, labels)))
        own = jax_utils.unreplicate(state).params
        right = sum(int(correct(own, x, y)) for x, y in test)
        print(f"epoch {epoch}: loss {float(loss[0]):.3f} accuracy {right / len(test.dataset):.3f}")


if __name__ == "__main__":
    main()
