import re
from dataclasses import dataclass

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

RULES = (
    (r"embed", PartitionSpec("tensor", None)),
    (r"(up|gate)", PartitionSpec("data", "tensor")),
    (r"down", PartitionSpec("tensor", "data")),
    (r".*", PartitionSpec()),
)


@dataclass(frozen=True)
class Layout:
    tensor: int = 2
    axes: tuple = ("data", "tensor")

    def mesh(self):
        devices = np.array(jax.devices()).reshape(-1, self.tensor)
        return Mesh(devices, self.axes)


def spec_of(name):
    return next(spec for pattern, spec in RULES if re.search(pattern, name))


def place(mesh, params):
    return {name: jax.device_put(value, NamedSharding(mesh, spec_of(name))) for name, value in params.items()}
