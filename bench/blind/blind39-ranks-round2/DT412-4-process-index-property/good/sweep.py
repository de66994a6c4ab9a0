import json
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@partial(jax.jit, static_argnames=("steps",))
def fit(w, x, y, lr, steps):
    def one(w, _):
        grad = jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
        return w - lr * grad, None

    w, _ = jax.lax.scan(one, w, length=steps)
    return w, jnp.mean((x @ w - y) ** 2)


class Results:
    def __init__(self, path):
        self.path = Path(path)
        self.rows = []
        self.keeps = jax.process_index() == 0

    def add(self, **row):
        if self.keeps:
            self.rows.append(row)

    def write(self):
        if self.keeps:
            self.path.write_text(json.dumps(self.rows, indent=2))


def main():
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rng = np.random.default_rng(jax.process_index())
    local = rng.normal(size=(256 // jax.process_count(), 6)).astype(np.float32)
    sharding = NamedSharding(mesh, P("data"))
    x = jax.make_array_from_process_local_data(sharding, local)
    y = jax.make_array_from_process_local_data(sharding, local.sum(axis=1))
    results = Results("sweep.json")
    for lr in (0.01, 0.03, 0.1):
        _, loss = fit(np.zeros(6, np.float32), x, y, lr, steps=100)
        results.add(lr=lr, loss=float(loss))
    results.write()
    multihost_utils.sync_global_devices("sweep written")


if __name__ == "__main__":
    main()
