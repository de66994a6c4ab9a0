import numpy as np
import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

RULES = {
    "embedding": P(None, "tensor"),
    "wi": P(None, "tensor"),
    "wo": P("tensor", None),
}


def build_mesh(tensor_parallel):
    devices = np.asarray(jax.devices()).reshape(-1, tensor_parallel)
    return Mesh(devices, ("data", "tensor"))


def shardings(mesh, params):
    return {name: NamedSharding(mesh, RULES[name]) for name in params}
