"""Checks the sharded step on virtual CPU devices when there is one device only."""
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P


def enough_devices(wanted):
    os.environ.setdefault("XLA_FLAGS", f"--xla_force_host_platform_device_count={wanted}")
    return jax.make_mesh((wanted,), ("data",))


def main(steps=50, wanted=4):
    mesh = enough_devices(wanted)
    rows = NamedSharding(mesh, P("data"))
    w = jax.device_put(jnp.zeros(8), NamedSharding(mesh, P()))

    @jax.jit
    def step(w, x, y):
        return w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)

    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(64, 8)).astype(np.float32)
        w = step(w, jax.device_put(x, rows), jax.device_put(x.sum(1), rows))
    print(w)


if __name__ == "__main__":
    main()
