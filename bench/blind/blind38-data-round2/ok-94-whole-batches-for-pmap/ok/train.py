"""pmap training on whole batches only; the evaluation pads the last one and masks what was added."""
import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

BATCH, WIDTH, CLASSES = 128, 20, 4


def data(rows, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, WIDTH)).astype("float32")
    return x, x[:, :CLASSES].argmax(axis=1).astype("int32")


def batches(x, y, order):
    for start in itertools.count(0, BATCH):
        rows = order[start : start + BATCH]
        if len(rows) < BATCH:
            return
        yield split(x[rows]), split(y[rows])


def split(array):
    return array.reshape(jax.local_device_count(), -1, *array.shape[1:])


def padded(array, size):
    return np.concatenate([array, np.zeros((size - len(array), *array.shape[1:]), array.dtype)])


def score(params, x):
    return jnp.tanh(x @ params["a"]) @ params["b"]


optimizer = optax.adam(1e-2)


@functools.partial(jax.pmap, axis_name="batch", donate_argnums=(0, 1))
def step(params, state, x, y):
    def loss_of(params):
        return optax.softmax_cross_entropy_with_integer_labels(score(params, x), y).mean()

    loss, grads = jax.value_and_grad(loss_of)(params)
    loss, grads = jax.lax.pmean((loss, grads), "batch")
    updates, state = optimizer.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss


@functools.partial(jax.pmap, axis_name="batch")
def hits(params, x, y, mask):
    right = (score(params, x).argmax(-1) == y) * mask
    return jax.lax.psum(jnp.stack([right.sum(), mask.sum()]), "batch")


def evaluate(params, x, y):
    totals = np.zeros(2)
    for start in range(0, len(x), BATCH):
        part, labels = x[start : start + BATCH], y[start : start + BATCH]
        mask = np.ones(len(part), dtype="float32")
        part, labels, mask = (split(padded(array, BATCH)) for array in (part, labels, mask))
        totals += np.asarray(jax_utils.unreplicate(hits(params, part, labels, mask)))
    return totals[0] / totals[1]


def main():
    x, y = data(5001, 0)
    held = data(777, 1)
    ka, kb = jax.random.split(jax.random.PRNGKey(0))
    params = {"a": jax.random.normal(ka, (WIDTH, 32)) * 0.1, "b": jax.random.normal(kb, (32, CLASSES)) * 0.1}
    params, state = jax_utils.replicate(params), jax_utils.replicate(optimizer.init(params))
    rng = np.random.default_rng(2)
    for epoch in range(3):
        for xs, ys in batches(x, y, rng.permutation(len(x))):
            params, state, loss = step(params, state, xs, ys)
        print(epoch, float(loss[0]), evaluate(params, *held))


if __name__ == "__main__":
    main()
