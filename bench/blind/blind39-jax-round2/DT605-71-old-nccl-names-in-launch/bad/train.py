import os

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P


def main():
    jax.distributed.initialize(os.environ["COORDINATOR"], int(os.environ["NHOSTS"]), int(os.environ["HOST"]))
    mesh = jax.make_mesh((jax.device_count(),), ("x",))
    ones = jax.jit(lambda: jnp.ones((jax.device_count(), 128)), out_shardings=NamedSharding(mesh, P("x")))()
    total = jax.jit(jnp.sum, out_shardings=NamedSharding(mesh, P()))(ones)
    if jax.process_index() == 0:
        print("sum", float(total))


if __name__ == "__main__":
    main()
