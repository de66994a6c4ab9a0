from start import Patience

Patience(1200).export()

import jax

jax.distributed.initialize()

import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@jax.jit
def step(w, x, y):
    return w - 0.1 * jax.grad(lambda v: jnp.mean((x @ v - y) ** 2))(w)


def main(steps=200, per_host=64, dim=9):
    mesh = Mesh(np.array(jax.devices()), ("rows",))
    rows, whole = NamedSharding(mesh, P("rows")), NamedSharding(mesh, P())
    w = jax.device_put(jnp.zeros(dim), whole)
    rng = np.random.default_rng([2, jax.process_index()])
    for _ in range(steps):
        x = rng.standard_normal((per_host, dim), dtype=np.float32)
        gx = jax.make_array_from_process_local_data(rows, x)
        gy = jax.make_array_from_process_local_data(rows, x.sum(1))
        w = step(w, gx, gy)
    if jax.process_index() == 0:
        print(np.asarray(w))


if __name__ == "__main__":
    main()
