import pickle

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def init(key, d=4096):
    a, b = jax.random.split(key)
    return {"up": jax.random.normal(a, (d, 4 * d)) * 0.01, "down": jax.random.normal(b, (4 * d, d)) * 0.01}


def save(params, path):
    fetched = jax.device_get(params)
    if jax.process_index() == 0:
        with open(path, "wb") as handle:
            pickle.dump(fetched, handle)


def main(steps=200):
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("fsdp",))
    split = NamedSharding(mesh, P("fsdp"))
    params = jax.jit(init, out_shardings=split)(jax.random.key(0))
    tx = optax.sgd(1e-2)

    @jax.jit
    def step(params, x):
        grads = jax.grad(lambda p: jnp.mean((jax.nn.relu(x @ p["up"]) @ p["down"] - x) ** 2))(params)
        up, _ = tx.update(grads, tx.init(params))
        return jax.lax.with_sharding_constraint(optax.apply_updates(params, up), split)

    rng = np.random.default_rng(jax.process_index())
    for i in range(steps):
        local = rng.normal(size=(8 * jax.local_device_count(), 4096)).astype(np.float32)
        params = step(params, jax.make_array_from_process_local_data(split, local))
        if i % 100 == 99:
            save(params, f"params_{i}.pkl")


if __name__ == "__main__":
    main()
