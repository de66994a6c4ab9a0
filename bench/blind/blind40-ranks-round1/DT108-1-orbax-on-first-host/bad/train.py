import os

import jax

jax.distributed.initialize()

import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from callbacks import Checkpointer, ConsoleLogger

PER_HOST = 32


def init(key, sizes=(16, 64, 1)):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        {"w": jax.random.normal(k, (a, b)) / jnp.sqrt(a), "b": jnp.zeros((b,))}
        for k, a, b in zip(keys, sizes[:-1], sizes[1:])
    ]


def predict(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return (x @ params[-1]["w"] + params[-1]["b"])[:, 0]


def main(steps=500):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    replicated, by_data = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))
    tx = optax.adamw(1e-3)
    params = jax.jit(init, out_shardings=replicated)(jax.random.key(0))
    opt_state = jax.jit(tx.init, out_shardings=replicated)(params)

    @jax.jit
    def update(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((predict(p, x) - y) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, {"loss": loss}

    rng = np.random.default_rng([7, jax.process_index()])
    saver = Checkpointer(os.path.abspath("checkpoints"))
    callbacks = [ConsoleLogger(), saver]
    for step in range(1, steps + 1):
        host_x = rng.normal(size=(PER_HOST, 16)).astype(np.float32)
        x = jax.make_array_from_process_local_data(by_data, host_x)
        y = jax.make_array_from_process_local_data(by_data, host_x.sum(axis=1))
        params, opt_state, metrics = update(params, opt_state, x, y)
        for callback in callbacks:
            callback(step, {"params": params, "opt": opt_state}, metrics)
    saver.close()


if __name__ == "__main__":
    main()
