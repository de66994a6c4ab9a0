import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P



def make_mesh():
    return Mesh(np.array(jax.devices()), ("data",))


def rows(mesh):
    return NamedSharding(mesh, P("data"))


def whole(mesh):
    return NamedSharding(mesh, P())
