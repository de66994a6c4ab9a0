import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from summary import Summary


def loss(w, x, y):
    return jnp.mean((jnp.tanh(x @ w["a"]) @ w["b"] - y) ** 2)


def init(key):
    ka, kb = jax.random.split(key)
    return {"a": 0.1 * jax.random.normal(ka, (6, 12)), "b": 0.1 * jax.random.normal(kb, (12, 1))}


def host_rows(step, rows):
    rng = np.random.default_rng([step, jax.process_index()])
    x = rng.standard_normal((rows, 6), dtype=np.float32)
    return x, x[:, :1] * x[:, 1:2]


def main():
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("batch",))
    rows, everywhere = NamedSharding(mesh, P("batch")), NamedSharding(mesh, P())
    tx = optax.adamw(1e-3)
    w = jax.device_put(init(jax.random.PRNGKey(3)), everywhere)
    opt = jax.device_put(tx.init(w), everywhere)

    @jax.jit
    def update(w, opt, x, y):
        value, grads = jax.value_and_grad(loss)(w, x, y)
        change, opt = tx.update(grads, opt, w)
        return optax.apply_updates(w, change), opt, value

    summary = Summary("summary.jsonl")
    for step in range(100):
        waited = time.perf_counter()
        local = host_rows(step, 8 * jax.local_device_count())
        waited = time.perf_counter() - waited
        x, y = (jax.make_array_from_process_local_data(rows, part) for part in local)
        w, opt, value = update(w, opt, x, y)
        if step % 20 == 0:
            summary.write(step, {"data_seconds": np.float32(waited), "loss": np.float32(value)})
    jax.distributed.shutdown()


if __name__ == "__main__":
    main()
