import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils

from stats import fit_normaliser


@jax.jit
def step(w, x, y):
    loss, grad = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
    return loss, grad


def main():
    jax.distributed.initialize(
        coordinator_address=os.environ["COORDINATOR"],
        num_processes=int(os.environ["WORLD_SIZE"]),
        process_id=int(os.environ["RANK"]),
    )
    index, count = jax.process_index(), jax.process_count()
    rows = np.random.default_rng(0).normal(2.0, 5.0, size=(512, 8)).astype(np.float32)
    normalise = fit_normaliser("stats/train.npz", rows)
    mine = normalise(rows)[index * len(rows) // count : (index + 1) * len(rows) // count].astype(np.float32)
    w = jnp.zeros(8)
    for epoch in range(3):
        order = np.random.default_rng([epoch, index]).permutation(len(mine))
        for start in range(0, len(mine) - 31, 32):
            x = mine[order[start : start + 32]]
            loss, grad = step(w, x, x[:, 0] - 2 * x[:, 3])
            grad = multihost_utils.process_allgather(grad).mean(axis=0)
            w = w - 0.1 * grad
    if index == 0:
        np.save("w.npy", np.asarray(w))
    multihost_utils.sync_global_devices("done")
    jax.distributed.shutdown()


if __name__ == "__main__":
    main()
