import glob
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def host_files(pattern):
    names = sorted(glob.glob(pattern))
    hosts = jax.process_count()
    return names[jax.process_index() :: hosts]


def examples(names):
    for name in names:
        with np.load(name) as file:  # 256 rows each
            yield file["x"], file["y"]


def init(key, dim=16):
    return {"w": 0.01 * jax.random.normal(key, (dim,)), "b": jnp.zeros(())}


def loss_fn(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


def main(pattern):
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("hosts",))
    rows = NamedSharding(mesh, P("hosts"))
    tx = optax.sgd(0.1)
    params = jax.jit(init, out_shardings=NamedSharding(mesh, P()))(jax.random.key(0))
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    names = host_files(pattern)
    for epoch in range(3):
        for x, y in examples(names):
            x = jax.make_array_from_process_local_data(rows, x)
            y = jax.make_array_from_process_local_data(rows, y)
            params, opt_state, loss = step(params, opt_state, x, y)
        multihost_utils.sync_global_devices(f"epoch {epoch}")
    if jax.process_index() == 0:
        np.savez("params.npz", **jax.tree.map(np.asarray, params))


if __name__ == "__main__":
    main(sys.argv[1])
