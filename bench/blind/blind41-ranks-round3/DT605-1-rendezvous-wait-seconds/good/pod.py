import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_collective_timeout_seconds=600")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402


def main():
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("x",))
    rows = NamedSharding(mesh, P("x"))
    local = np.full((jax.local_device_count(), 4), jax.process_index(), np.float32)
    table = jax.make_array_from_process_local_data(rows, local)
    total = jax.jit(jnp.sum, out_shardings=NamedSharding(mesh, P()))(table)
    if jax.process_index() == 0:
        print(float(total))


if __name__ == "__main__":
    main()
