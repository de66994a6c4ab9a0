import argparse

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState

from pipeline import HostReader


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        for width in (64, 128, 256):
            x = nn.relu(nn.GroupNorm(16)(nn.Conv(width, (3, 3), strides=2, use_bias=False)(x)))
        return nn.Dense(1000)(x.mean((1, 2)))


def train_step(state, images, labels):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, images)
        return optax.softmax_cross_entropy(logits, optax.smooth_labels(jax.nn.one_hot(labels, 1000), 0.1)).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads, loss = jax.lax.pmean((grads, loss), axis_name="batch")
    return state.apply_gradients(grads=grads), loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--per-device", type=int, default=64)
    parser.add_argument("--base-lr", type=float, default=0.1, help="for a batch of 256")
    parser.add_argument("--epochs", type=int, default=90)
    args = parser.parse_args()
    jax.distributed.initialize()
    reader = HostReader(np.load("images.npy", mmap_mode="r"), np.load("labels.npy"), args.per_device, seed=0)
    total_batch = args.per_device * jax.device_count()
    learning_rate = args.base_lr * total_batch / 256
    if jax.process_index() == 0:
        print(f"{jax.process_count()} hosts, batch {total_batch}, learning rate {learning_rate:.3f}")
    net = Net()
    params = net.init(jax.random.key(0), jnp.zeros((1, 64, 64, 3)))["params"]
    tx = optax.sgd(learning_rate, momentum=0.9, nesterov=True)
    state = jax_utils.replicate(TrainState.create(apply_fn=net.apply, params=params, tx=tx))
    p_step = jax.pmap(train_step, axis_name="batch", donate_argnums=0)
    for epoch in range(args.epochs):
        for images, labels in reader.epoch():
            state, loss = p_step(state, images, labels)
        if jax.process_index() == 0:
            print(epoch, float(loss[0]))


if __name__ == "__main__":
    main()
