import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import multihost_utils

from report import EpochReport


def initialise():
    jax.distributed.initialize(
        coordinator_address=os.environ["COORDINATOR"],
        num_processes=int(os.environ["WORLD_SIZE"]),
        process_id=int(os.environ["RANK"]),
    )


def loss_fn(params, x, y):
    hidden = jnp.tanh(x @ params["w1"])
    return jnp.mean((hidden @ params["w2"] - y) ** 2)


@jax.jit
def gradients(params, x, y):
    return jax.value_and_grad(loss_fn)(params, x, y)


def main():
    initialise()
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"w1": 0.1 * jax.random.normal(k1, (6, 32)), "w2": 0.1 * jax.random.normal(k2, (32, 1))}
    tx = optax.adam(1e-2)
    state = tx.init(params)
    source = np.random.default_rng([7, jax.process_index()])
    report = EpochReport("report.jsonl")
    for epoch in range(2):
        for _ in range(5):
            x = source.normal(size=(32, 6)).astype(np.float32)
            loss, grads = gradients(params, x, x[:, :1] * x[:, 1:2])
            stacked = multihost_utils.process_allgather(grads)
            grads = jax.tree.map(lambda g: jnp.mean(g, axis=0), stacked)
            updates, state = tx.update(grads, state, params)
            params = optax.apply_updates(params, updates)
            report.record(loss)
        report.close_epoch(epoch)
    multihost_utils.sync_global_devices("done")
    jax.distributed.shutdown()


if __name__ == "__main__":
    main()
