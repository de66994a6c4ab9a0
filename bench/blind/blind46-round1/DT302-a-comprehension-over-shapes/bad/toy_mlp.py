"""Data-parallel MLP with hand-written parameters."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax


class Batch(NamedTuple):
    x: jax.Array
    y: jax.Array


SHAPES = {"w0": (8, 32), "w1": (32, 32), "w2": (32, 32), "w3": (32, 1)}


def init(key):
    init_fn = jax.nn.initializers.lecun_normal()
    return {name: init_fn(key, shape) for name, shape in SHAPES.items()}


def predict(params, x):
    *hidden, last = sorted(params)
    for name in hidden:
        x = jax.nn.gelu(x @ params[name])
    return (x @ params[last])[..., 0]


def loss_fn(params, batch: Batch):
    return jnp.mean((predict(params, batch.x) - batch.y) ** 2)


def make_step(tx):
    def step(params, opt_state, batch):
        loss, grads = jax.value_and_grad(loss_fn)(params, batch)
        grads, loss = jax.lax.pmean((grads, loss), axis_name="i")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return jax.pmap(step, axis_name="i", in_axes=(None, None, 0), out_axes=None)


def stream(per_device, seed=0):
    rng = np.random.default_rng(seed)
    n = jax.local_device_count()
    while True:
        x = rng.normal(size=(n, per_device, 8)).astype(np.float32)
        yield Batch(x, np.cos(x).sum(-1))


def main(steps=40):
    params = init(jax.random.key(0))
    tx = optax.adam(3e-3)
    opt_state = tx.init(params)
    step = make_step(tx)
    for _, batch in zip(range(steps), stream(16)):
        params, opt_state, loss = step(params, opt_state, batch)
    print("final loss", float(loss))


if __name__ == "__main__":
    main()
