from precision import double_precision

double_precision()

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def energy(w, x):
    return jnp.mean((x @ w) ** 2) + 0.5 * jnp.sum(w**4)


@jax.jit
def descend(w, x):
    return w - 0.01 * jax.grad(energy)(w, x)


def main(steps=500, dim=12):
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("rows",))
    rows, whole = NamedSharding(mesh, P("rows")), NamedSharding(mesh, P())
    w = jax.device_put(jnp.ones(dim), whole)
    rng = np.random.default_rng([3, jax.process_index()])
    x = jax.make_array_from_process_local_data(rows, rng.normal(size=(256, dim)))
    for _ in range(steps):
        w = descend(w, x)
    if jax.process_index() == 0:
        print(np.asarray(w))


if __name__ == "__main__":
    main()
