import argparse

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import train_state

from augment import HostAugmenter


class SmallCNN(nn.Module):
    classes: int = 10

    @nn.compact
    def __call__(self, x):
        for width in (32, 64):
            x = nn.relu(nn.Conv(width, (3, 3), strides=(2, 2))(x))
        return nn.Dense(self.classes)(x.mean(axis=(1, 2)))


def host_shard(path, n_hosts, host):
    with np.load(path) as archive:
        images, labels = archive["images"], archive["labels"]
    keep = len(images) // n_hosts * n_hosts
    return images[:keep][host::n_hosts], labels[:keep][host::n_hosts]


def batches(images, labels, size, seed):
    rng = np.random.default_rng([seed, jax.process_index()])
    while True:
        order = rng.permutation(len(images))
        for at in range(0, len(order) - size + 1, size):
            pick = order[at : at + size]
            yield images[pick], labels[pick]


def update(state, images, labels):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, images)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "batch")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="train.npz")
    parser.add_argument("--batch-per-host", type=int, default=256)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    jax.distributed.initialize()
    n_local = jax.local_device_count()
    images, labels = host_shard(args.data, jax.process_count(), jax.process_index())
    stream = batches(images, labels, args.batch_per_host, args.seed)
    augment = HostAugmenter(args.seed)
    model = SmallCNN()
    params = model.init(jax.random.PRNGKey(args.seed), jnp.zeros((1, 32, 32, 3)))["params"]
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(3e-4))
    state = jax_utils.replicate(state)
    p_update = jax.pmap(update, axis_name="batch")
    for step in range(args.steps):
        x, y = next(stream)
        x = augment(step, x)
        x = x.reshape((n_local, -1) + x.shape[1:])
        state, loss = p_update(state, x, y.reshape(n_local, -1))
        if step % 100 == 0 and jax.process_index() == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    main()
