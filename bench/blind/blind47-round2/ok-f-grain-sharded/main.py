import jax
import jax.numpy as jnp
from jax.experimental import multihost_utils
from jax.sharding import Mesh, PartitionSpec as P
import numpy as np

from data import loader


def main():
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))

    @jax.jit
    def step(w, batch):
        return w - 1e-6 * jax.grad(lambda w: jnp.mean((batch[:, 0] * w - batch[:, 1]) ** 2))(w)

    w = jnp.zeros(())
    for local in loader(64 * jax.local_device_count(), seed=0, epochs=2):
        batch = multihost_utils.host_local_array_to_global_array(local, mesh, P("data"))
        w = step(w, batch)
    if jax.process_index() == 0:
        print(w)


if __name__ == "__main__":
    main()
