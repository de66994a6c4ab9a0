import argparse
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def configure(devices):
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=8)
    args = parser.parse_args()
    print("before:", jax.devices())
    configure(args.devices)
    mesh = Mesh(np.array(jax.devices()), ("x",))
    x = jax.device_put(jnp.arange(64.0), NamedSharding(mesh, P("x")))
    print(jax.jit(jnp.cumsum)(x))


if __name__ == "__main__":
    main()
