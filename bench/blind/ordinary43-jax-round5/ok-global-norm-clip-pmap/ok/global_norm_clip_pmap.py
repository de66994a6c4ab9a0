"""Clipping by the global norm after pmean, loss weights by masks: sums over devices divided once."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


@functools.partial(jax.pmap, axis_name="b", donate_argnums=(0, 1))
def step(params, opt, x, y, mask):
    def loss_sum(p):
        return jnp.sum(mask * (x @ p["w"] - y) ** 2)

    total, grads = jax.value_and_grad(loss_sum)(params)
    count = jax.lax.psum(mask.sum(), "b")
    grads = jax.tree_util.tree_map(lambda g: jax.lax.psum(g, "b") / count, grads)
    updates, opt = TX.update(grads, opt, params)
    return optax.apply_updates(params, updates), opt, jax.lax.psum(total, "b") / count


TX = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.1))


def pad(rows, size):
    missing = size - len(rows)
    mask = np.concatenate([np.ones(len(rows)), np.zeros(missing)]).astype(np.float32)
    return np.concatenate([rows, np.zeros((missing,) + rows.shape[1:], rows.dtype)]), mask


def main():
    n = jax.local_device_count()
    params = {"w": jnp.zeros(4)}
    params, opt = jax_utils.replicate((params, TX.init(params)))
    data = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    size = 4 * n
    for epoch in range(3):
        for start in range(0, len(data), size):
            x, mask = pad(data[start : start + size], size)
            shards = [a.reshape((n, -1) + a.shape[1:]) for a in (x, x.sum(1), mask)]
            params, opt, loss = step(params, opt, *shards)
    print(float(loss[0]), jax_utils.unreplicate(params)["w"])


if __name__ == "__main__":
    main()
