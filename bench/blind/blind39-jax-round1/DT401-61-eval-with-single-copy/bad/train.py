import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from evaluate import make_evaluator, pad_to_devices


def init(key, sizes=(784, 256, 10)):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        {"w": jax.random.normal(k, (a, b)) * (2 / a) ** 0.5, "b": jnp.zeros(b)} for k, a, b in zip(keys, sizes, sizes[1:])
    ]


def apply(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def loss_fn(params, images, labels):
    return optax.softmax_cross_entropy_with_integer_labels(apply(params, images), labels).mean()


tx = optax.adam(1e-3)


@functools.partial(jax.pmap, axis_name="devices", donate_argnums=(0, 1))
def train_step(params, opt_state, images, labels):
    grads = jax.lax.pmean(jax.grad(loss_fn)(params, images, labels), "devices")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


def main(epochs=5, batch=256):
    data = np.load("mnist.npz")
    n = jax.local_device_count()
    params = init(jax.random.PRNGKey(1))
    average = params
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    evaluate = make_evaluator(apply)
    order = np.random.default_rng(0)
    for epoch in range(epochs):
        rows = order.permutation(len(data["y_train"]))
        for start in range(0, len(rows) - batch + 1, batch):
            pick = rows[start : start + batch]
            images = data["x_train"][pick].reshape(n, batch // n, -1)
            params, opt_state = train_step(params, opt_state, images, data["y_train"][pick].reshape(n, -1))
        current = jax_utils.unreplicate(params)
        average = jax.tree.map(lambda a, p: 0.9 * a + 0.1 * p, average, current)
        totals = np.zeros(2)
        for start in range(0, len(data["y_test"]), 1000):
            part = slice(start, start + 1000)
            images, labels, mask = pad_to_devices(data["x_test"][part].reshape(-1, 784), data["y_test"][part])
            totals += np.asarray(evaluate(average, images, labels, mask)[0])
        print(f"epoch {epoch}: {totals[0] / totals[1]:.4f}")


if __name__ == "__main__":
    main()
