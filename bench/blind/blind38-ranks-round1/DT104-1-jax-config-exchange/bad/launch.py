import argparse
import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

FIELDS = ("lr", "weight_decay", "batch", "steps")


def exchange_config(path):
    """The config lies on the disk of process 0 only; everybody leaves with the same four numbers."""
    if jax.process_index() == 0:
        raw = json.loads(Path(path).read_text())
        packed = np.array([raw[name] for name in FIELDS], np.float32)
        multihost_utils.sync_global_devices("config-read")
        packed = multihost_utils.broadcast_one_to_all(packed)
    else:
        packed = multihost_utils.broadcast_one_to_all(np.zeros(len(FIELDS), np.float32))
        multihost_utils.sync_global_devices("config-read")
    return dict(zip(FIELDS, np.asarray(packed).tolist()))


def init_params(key, dim=16, hidden=64):
    k1, k2 = jax.random.split(key)
    return {
        "w1": jax.random.normal(k1, (dim, hidden)) * dim**-0.5,
        "w2": jax.random.normal(k2, (hidden, 1)) * hidden**-0.5,
    }


def loss_fn(params, x, y):
    pred = jnp.tanh(x @ params["w1"]) @ params["w2"]
    return jnp.mean((pred - y) ** 2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="run.json")
    args = parser.parse_args()
    jax.distributed.initialize()
    cfg = exchange_config(args.config)
    mesh = Mesh(np.array(jax.devices()), ("data",))
    batch_sharding = NamedSharding(mesh, P("data"))
    replicated = NamedSharding(mesh, P())
    tx = optax.adamw(cfg["lr"], weight_decay=cfg["weight_decay"])
    params = jax.jit(init_params, out_shardings=replicated)(jax.random.key(0))
    opt_state = jax.jit(tx.init, out_shardings=replicated)(params)

    @jax.jit
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(100 + jax.process_index())
    per_host = int(cfg["batch"]) // jax.process_count()
    for number in range(int(cfg["steps"])):
        x = rng.normal(size=(per_host, 16)).astype(np.float32)
        y = np.cos(x).sum(axis=1, keepdims=True)
        gx = jax.make_array_from_process_local_data(batch_sharding, x)
        gy = jax.make_array_from_process_local_data(batch_sharding, y)
        params, opt_state, loss = step(params, opt_state, gx, gy)
        if jax.process_index() == 0 and number % 50 == 0:
            print(number, float(loss))


if __name__ == "__main__":
    main()
