"""SIREN fit on several hosts, jit over global arrays."""
import argparse
import pickle
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def init(key, widths=(2, 128, 128, 1)):
    keys = jax.random.split(key, len(widths) - 1)
    return [
        {"w": jax.random.uniform(k, (i, o), minval=-1, maxval=1) * (6 / i) ** 0.5 / 30, "b": jnp.zeros(o)}
        for k, i, o in zip(keys, widths[:-1], widths[1:])
    ]


def siren(params, x):
    for layer in params[:-1]:
        x = jnp.sin(30 * (x @ layer["w"] + layer["b"]))
    return x @ params[-1]["w"] + params[-1]["b"]


def is_lead():
    return jax.process_index == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("siren.pkl"))
    parser.add_argument("--steps", type=int, default=500)
    args = parser.parse_args()
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    params = jax.device_put(init(jax.random.PRNGKey(0)), whole)
    tx = optax.adam(1e-4)
    opt_state = jax.jit(tx.init, out_shardings=whole)(params)

    @jax.jit
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((siren(p, x) - y) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(jax.process_index())
    per_host = 1024 * jax.local_device_count()
    for i in range(args.steps):
        xy = rng.uniform(-1, 1, size=(per_host, 2)).astype(np.float32)
        target = np.sin(5 * xy[:, :1]) * np.cos(3 * xy[:, 1:])
        x = jax.make_array_from_process_local_data(rows, xy)
        y = jax.make_array_from_process_local_data(rows, target)
        params, opt_state, loss = step(params, opt_state, x, y)
        if i % 100 == 0 and is_lead():
            print(i, float(loss))
    if is_lead():
        args.out.write_bytes(pickle.dumps(jax.device_get(params)))
    multihost_utils.sync_global_devices("saved")


if __name__ == "__main__":
    main()
