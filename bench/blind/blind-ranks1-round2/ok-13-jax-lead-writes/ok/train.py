import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from host import Clock, write


@jax.jit
def update(w, x):
    def loss(w):
        return jnp.mean((x @ w["a"] @ w["b"] - x) ** 2)

    return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, w, jax.grad(loss)(w))


def main(steps=10):
    jax.distributed.initialize(
        os.environ["COORDINATOR"], int(os.environ["NUM_PROCESSES"]), int(os.environ["PROCESS_ID"])
    )
    mesh = Mesh(np.array(jax.devices()), ("data",))
    replicated = NamedSharding(mesh, P())
    ka, kb = jax.random.split(jax.random.PRNGKey(0))
    w = {"a": jax.random.normal(ka, (8, 4)), "b": jax.random.normal(kb, (4, 8))}
    w = jax.device_put(w, replicated)
    rng = np.random.default_rng([1, jax.process_index()])
    clock = Clock(60.0)
    for step in range(steps):
        local = rng.normal(size=(4 * jax.local_device_count(), 8)).astype(np.float32)
        x = jax.make_array_from_process_local_data(NamedSharding(mesh, P("data")), local)
        w = update(w, x)
        if clock.due():
            write(f"w_{step}.npz", w)
    write("final.npz", w)


if __name__ == "__main__":
    main()
