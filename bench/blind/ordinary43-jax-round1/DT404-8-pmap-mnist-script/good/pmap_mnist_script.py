"""MNIST-like classifier with pmap, plain functions, tf.data free."""
import functools
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax import linen as nn
from flax.training import common_utils, train_state


class CNN(nn.Module):
    classes: int = 10

    @nn.compact
    def __call__(self, x, train):
        x = nn.Conv(8, (3, 3))(x)
        x = nn.relu(x)
        x = x.mean(axis=(1, 2))
        x = nn.Dropout(0.1, deterministic=not train)(x)
        return nn.Dense(self.classes)(x)


class TrainState(train_state.TrainState):
    dropout_key: jax.Array


def create_state(rng, lr):
    init_rng, dropout_rng = jax.random.split(rng)
    model = CNN()
    params = model.init({"params": init_rng}, jnp.ones((1, 28, 28, 1)), train=False)["params"]
    return TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(lr), dropout_key=dropout_rng)


@functools.partial(jax.pmap, axis_name="batch", donate_argnums=(0,))
def train_step(state, batch):
    key = jax.random.fold_in(state.dropout_key, state.step)
    key = jax.random.fold_in(key, jax.lax.axis_index("batch"))

    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["image"], train=True, rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    metrics = jax.lax.pmean({"loss": loss}, "batch")
    return state.apply_gradients(grads=grads), metrics


@functools.partial(jax.pmap, axis_name="batch")
def eval_step(state, batch):
    logits = state.apply_fn({"params": state.params}, batch["image"], train=False)
    correct = (logits.argmax(-1) == batch["label"]).sum()
    return jax.lax.psum(correct, "batch")


def batches(images, labels, batch_size, rng=None):
    n = len(images) // batch_size * batch_size
    order = rng.permutation(len(images)) if rng is not None else np.arange(len(images))
    for i in range(0, n, batch_size):
        idx = order[i : i + batch_size]
        yield common_utils.shard({"image": images[idx], "label": labels[idx]})


def main():
    data_rng = np.random.default_rng(0)
    images = data_rng.normal(size=(256, 28, 28, 1)).astype(np.float32)
    labels = data_rng.integers(0, 10, size=(256,))
    batch_size = 8 * jax.local_device_count()
    state = jax_utils.replicate(create_state(jax.random.PRNGKey(0), 1e-3))
    for epoch in range(2):
        start = time.time()
        seen = []
        for batch in batches(images, labels, batch_size, data_rng):
            state, metrics = train_step(state, batch)
            seen.append(metrics)
        seen = common_utils.get_metrics(seen)
        correct = sum(int(eval_step(state, b)[0]) for b in batches(images, labels, batch_size))
        print(f"epoch {epoch} loss {seen['loss'].mean():.4f} acc {correct / 256:.3f} {time.time() - start:.1f}s")


if __name__ == "__main__":
    main()
