import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

DATA, MODEL = "data", "mdl"


class Layout:
    def __init__(self, model_parallel):
        devices = np.asarray(jax.devices()).reshape(-1, model_parallel)
        self.mesh = Mesh(devices, (DATA, MODEL))

    def named(self, *axes):
        return NamedSharding(self.mesh, PartitionSpec(*axes))

    def activations(self, x):
        return jax.lax.with_sharding_constraint(x, self.named(DATA, None, MODEL))

    def rows(self, tree):
        return jax.device_put(tree, self.named(DATA))
