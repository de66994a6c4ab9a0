import functools

import jax
from jax.sharding import PartitionSpec as P


def sharded_matmul(mesh):
    @functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("batch", None), P(None, "y")), out_specs=P("batch", "y"))
    def matmul(a, b):
        return a @ b

    return jax.jit(matmul)
