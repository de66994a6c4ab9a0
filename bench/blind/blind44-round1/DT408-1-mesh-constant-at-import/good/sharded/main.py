import jax
import jax.numpy as jnp
import numpy as np

from sharded.launch import connect
from sharded.partition import make_mesh, rows, whole


def loss_fn(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def main(steps=30, local_batch=32):
    connect()
    mesh = make_mesh()
    data, everywhere = rows(mesh), whole(mesh)
    w = jax.device_put(jnp.zeros((7,)), everywhere)
    update = jax.jit(lambda w, x, y: w - 0.1 * jax.grad(loss_fn)(w, x, y), out_shardings=everywhere)
    rng = np.random.default_rng([3, jax.process_index()])
    for _ in range(steps):
        x = rng.normal(size=(local_batch, 7)).astype(np.float32)
        xs = jax.make_array_from_process_local_data(data, x)
        ys = jax.make_array_from_process_local_data(data, x.sum(-1))
        w = update(w, xs, ys)
    if jax.process_index() == 0:
        print(np.asarray(w))


if __name__ == "__main__":
    main()
