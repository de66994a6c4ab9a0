import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

SPECS = {
    "up": P(None, "model"),
    "down": P("model", None),
}


def make_mesh(tensor=2):
    devices = np.asarray(jax.devices()).reshape(-1, tensor)
    return Mesh(devices, ("data", "tensor"))


def place(params, mesh):
    return {name: jax.device_put(p, NamedSharding(mesh, SPECS[name])) for name, p in params.items()}
