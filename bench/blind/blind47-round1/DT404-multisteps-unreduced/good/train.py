import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from state import TrainState

AXIS = "replica"


def loss_fn(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


@functools.partial(jax.pmap, axis_name=AXIS)
def train_step(state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(state.params, x, y)
    grads = jax.lax.pmean(grads, AXIS)
    state = state.apply(grads)
    return state, jax.lax.pmean(loss, AXIS)


def batches(rng, count, per_device):
    n = jax.local_device_count()
    for _ in range(count):
        x = rng.normal(size=(n, per_device, 4)).astype(np.float32)
        yield x, x.sum(-1)


def main():
    params = {"w": jnp.zeros(4), "b": jnp.zeros(())}
    tx = optax.MultiSteps(optax.adam(1e-2), every_k_schedule=4)
    state = jax_utils.replicate(TrainState.create(params, tx))
    for x, y in batches(np.random.default_rng(0), 200, 8):
        state, loss = train_step(state, x, y)
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
