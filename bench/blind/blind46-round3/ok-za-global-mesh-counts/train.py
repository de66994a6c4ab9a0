import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P


def make_global(local_rows, sharding):
    return jax.make_array_from_process_local_data(sharding, local_rows)


@jax.jit
def step(w, x, y):
    loss, g = jax.value_and_grad(lambda v: jnp.mean((x @ v - y) ** 2))(w)
    return w - 0.1 * g, loss


def main(per_device=8, steps=20):
    jax.distributed.initialize()
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    rows = NamedSharding(mesh, P("data"))
    rng = np.random.default_rng([3, jax.process_index()])
    w = jax.device_put(jnp.zeros((5,)), NamedSharding(mesh, P()))
    per_host = per_device * jax.device_count() // jax.process_count()
    for i in range(steps):
        x = rng.normal(size=(per_host, 5)).astype(np.float32)
        w, loss = step(w, make_global(x, rows), make_global(x.sum(1), rows))
    if jax.process_index() == 0:
        print(float(loss), np.asarray(w))


if __name__ == "__main__":
    main()
