import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

from solver.cg import solve
from solver.operator import coupled


def main(n=64):
    mesh = Mesh(np.array(jax.devices()), ("rows",))

    def local(b):
        return solve(coupled("rows"), b, "rows")

    run = jax.jit(jax.shard_map(local, mesh=mesh, in_specs=P("rows"), out_specs=P("rows")))
    b = np.random.default_rng(0).normal(size=n).astype(np.float32)
    print(np.abs(np.asarray(run(b))).max())


if __name__ == "__main__":
    main()
