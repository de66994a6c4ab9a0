import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def fsdp_mesh():
    return Mesh(np.array(jax.devices()), ("fsdp",))


def shard(tree, mesh):
    return jax.device_put(tree, NamedSharding(mesh, P("fsdp")))
