import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from search import backtrack

AXIS = "workers"


def loss_fn(params, batch):
    x, y = batch
    return jnp.mean((jnp.tanh(x @ params["w"]) @ params["v"] - y) ** 2)


@functools.partial(jax.pmap, axis_name=AXIS, donate_argnums=(0,))
def descend(params, batch):
    loss, grads = jax.value_and_grad(loss_fn)(params, batch)
    loss, grads = jax.lax.pmean((loss, grads), AXIS)
    return backtrack(loss_fn, params, grads, batch, AXIS), loss


def batches(seed, count, each):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        x = rng.normal(size=(jax.local_device_count(), each, 5)).astype(np.float32)
        yield x, np.abs(x).sum(-1)


def main():
    k1, k2 = jax.random.split(jax.random.PRNGKey(7))
    params = {"w": jax.random.normal(k1, (5, 16)) * 0.5, "v": jax.random.normal(k2, (16,)) * 0.5}
    params = jax_utils.replicate(params)
    for batch in batches(0, 15, 16):
        params, loss = descend(params, batch)
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
