import argparse
import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

from layers import apply_linear, linear


def connect():
    jax.distributed.initialize(
        coordinator_address=os.environ["COORDINATOR"],
        num_processes=int(os.environ["NPROC"]),
        process_id=int(os.environ["PROC_ID"]),
    )


def init(key):
    k1, k2 = jax.random.split(key)
    return {"hidden": linear(k1, 128, 512), "out": linear(k2, 512, 1)}


def loss_fn(params, x, y):
    h = jax.nn.silu(apply_linear(params["hidden"], x))
    return jnp.mean((apply_linear(params["out"], h)[:, 0] - y) ** 2)


def host_stream(path, per_host):
    blob = np.load(path, mmap_mode="r")
    mine = blob[jax.process_index() :: jax.process_count()]
    rng = np.random.default_rng(100 + jax.process_index())
    while True:
        rows = np.asarray(mine[rng.integers(0, len(mine), size=per_host)])
        yield rows[:, :-1], rows[:, -1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="rows.npy")
    parser.add_argument("--global-batch", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()
    connect()
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    rows = NamedSharding(mesh, P("data"))
    params = jax.jit(init, out_shardings=NamedSharding(mesh, P()))(jax.random.key(4))
    tx = optax.lion(1e-4)
    opt_state = tx.init(params)

    @jax.jit
    def update(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    stream = host_stream(args.data, args.global_batch // jax.process_count())
    for step in range(args.steps):
        x, y = (jax.make_array_from_process_local_data(rows, part) for part in next(stream))
        params, opt_state, loss = update(params, opt_state, x, y)
        if step % 100 == 0:
            value = float(loss)
            if jax.process_index() == 0:
                print(step, value)


if __name__ == "__main__":
    main()
