import jax

from hardware import describe, tune

jax.distributed.initialize()
print(describe())
tune()

import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def loss_fn(w, x, y):
    return jnp.mean((jnp.tanh(x @ w["in"]) @ w["out"] - y) ** 2)


@jax.jit
def step(w, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(w, x, y)
    return jax.tree.map(lambda p, g: p - 0.05 * g, w, grads), loss


def init(key, dim, hidden):
    k_in, k_out = jax.random.split(key)
    return {
        "in": jax.random.normal(k_in, (dim, hidden)) / dim**0.5,
        "out": jax.random.normal(k_out, (hidden, 1)) / hidden**0.5,
    }


def main(steps=200, per_process=128, dim=10):
    mesh = Mesh(np.array(jax.devices()), ("batch",))
    w = jax.device_put(init(jax.random.key(0), dim, 64), NamedSharding(mesh, P()))
    rows = NamedSharding(mesh, P("batch"))
    rng = np.random.default_rng([1, jax.process_index()])
    for i in range(steps):
        x = rng.standard_normal((per_process, dim), dtype=np.float32)
        gx = jax.make_array_from_process_local_data(rows, x)
        gy = jax.make_array_from_process_local_data(rows, x.sum(1, keepdims=True))
        w, loss = step(w, gx, gy)
        if i % 50 == 0 and jax.process_index() == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
