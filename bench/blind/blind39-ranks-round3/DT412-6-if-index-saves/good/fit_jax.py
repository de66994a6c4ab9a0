import pickle
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def init(key, sizes=(14, 28, 1)):
    keys = jax.random.split(key, len(sizes) - 1)
    return [jax.random.normal(k, (a, b)) / jnp.sqrt(a) for k, a, b in zip(keys, sizes, sizes[1:])]


def forward(params, x):
    for w in params[:-1]:
        x = jax.nn.relu(x @ w)
    return x @ params[-1]


@partial(jax.jit, donate_argnums=0)
def step(params, x, y):
    def loss_fn(params):
        return jnp.mean((forward(params, x) - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    return jax.tree.map(lambda p, g: p - 0.05 * g, params, grads), loss


def save(path, params):
    path.write_bytes(pickle.dumps([np.asarray(p) for p in params]))


def main():
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("batch",))
    params = jax.device_put(init(jax.random.key(3)), NamedSharding(mesh, P()))
    by_batch = NamedSharding(mesh, P("batch"))
    rng = np.random.default_rng(100 + jax.process_index())
    for _ in range(200):
        x = rng.normal(size=(64, 14)).astype(np.float32)
        y = np.cos(x).sum(axis=1, keepdims=True)
        params, loss = step(
            params,
            jax.make_array_from_process_local_data(by_batch, x),
            jax.make_array_from_process_local_data(by_batch, y),
        )
    if jax.process_index() == 0:
        save(Path("params.pkl"), params)
        print(f"loss {float(loss):.4f}")
    multihost_utils.sync_global_devices("saved")


if __name__ == "__main__":
    main()
