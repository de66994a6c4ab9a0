import os

FIRST_COMPILE_WAIT = 900

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P


def main():
    jax.distributed.initialize(
        coordinator_address=os.environ["COORD"],
        num_processes=int(os.environ["WORLD"]),
        process_id=int(os.environ["RANK"]),
        initialization_timeout=FIRST_COMPILE_WAIT,
    )
    mesh = jax.make_mesh((jax.device_count(),), ("all",))
    sharding = NamedSharding(mesh, P("all"))
    x = jax.jit(lambda: jnp.arange(jax.device_count(), dtype=jnp.float32), out_shardings=sharding)()
    total = jax.jit(jnp.sum, out_shardings=NamedSharding(mesh, P()))(x)
    if jax.process_index() == 0:
        print("devices", jax.device_count(), "sum", float(total))


if __name__ == "__main__":
    main()
