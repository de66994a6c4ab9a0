import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def data_mesh(model_parallel=1):
    devices = np.asarray(jax.devices())
    return Mesh(devices.reshape(-1, model_parallel), ("data", "model"))


def rows(mesh):
    return NamedSharding(mesh, P("data"))


def replicated(mesh):
    return NamedSharding(mesh, P())


def to_global(mesh, batch):
    return jax.tree.map(lambda x: jax.make_array_from_process_local_data(rows(mesh), x), batch)
