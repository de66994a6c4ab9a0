import enum

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec


class Logical(enum.Enum):
    BATCH = "batch"
    EMBED = "embed"
    MLP = "mlp"


RULES = {Logical.BATCH: "data", Logical.EMBED: None, Logical.MLP: "model"}


def make_mesh(tensor=2):
    devices = np.asarray(jax.devices())
    return Mesh(devices.reshape(-1, tensor), ("data", "tensor"))


def sharding(mesh, *names):
    return NamedSharding(mesh, PartitionSpec(*(RULES[name] for name in names)))
