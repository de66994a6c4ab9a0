import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

AXES = ("replica", "model")


def build(model=2):
    devices = np.array(jax.devices())
    return Mesh(devices.reshape(-1, model), AXES)


def batch_sharding(mesh):
    return NamedSharding(mesh, P("replica"))
