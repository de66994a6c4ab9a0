import json
import os
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

SHARED = Path(os.environ.get("SHARED_DIR", "shared"))


def rows(seed, n):
    rng = np.random.default_rng(seed)
    return rng.normal(3.0, 2.0, size=(n, 10)).astype(np.float32)


def statistics():
    """Computed by process 0, used by all."""
    path = SHARED / "stats.json"
    if jax.process_index() == 0:
        SHARED.mkdir(parents=True, exist_ok=True)
        sample = rows(seed=0, n=5000)
        path.write_text(json.dumps({"mean": sample.mean(0).tolist(), "std": sample.std(0).tolist()}))
    multihost_utils.sync_global_devices("statistics written")
    found = json.loads(path.read_text())
    return np.array(found["mean"], np.float32), np.array(found["std"], np.float32)


def loss_fn(params, x):
    hidden = jnp.tanh(x @ params["encode"])
    return jnp.mean((hidden @ params["decode"] - x) ** 2)


def main():
    jax.distributed.initialize()
    mean, std = statistics()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    sharded, replicated = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    keys = jax.random.split(jax.random.key(0))
    params = {
        "encode": jax.random.normal(keys[0], (10, 4)) * 0.1,
        "decode": jax.random.normal(keys[1], (4, 10)) * 0.1,
    }
    params = jax.device_put(params, replicated)
    tx = optax.sgd(0.1)
    opt_state = jax.device_put(tx.init(params), replicated)

    @jax.jit
    def step(params, opt_state, x):
        loss, grads = jax.value_and_grad(loss_fn)(params, x)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    for number in range(100):
        local = (rows(seed=1 + number * jax.process_count() + jax.process_index(), n=64) - mean) / std
        batch = jax.make_array_from_process_local_data(sharded, local)
        params, opt_state, loss = step(params, opt_state, batch)
    if jax.process_index() == 0:
        print(f"loss {float(loss):.4f}")


if __name__ == "__main__":
    main()
