from dataclasses import dataclass

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclass(frozen=True)
class Layout:
    mesh: Mesh

    @classmethod
    def over(cls, model_parallel):
        grid = np.asarray(jax.devices()).reshape(-1, model_parallel)
        return cls(Mesh(grid, ("data", "tensor")))

    def named(self, *axes):
        return NamedSharding(self.mesh, P(*axes))

    def batch(self):
        return self.named("data", None)

    def kernels(self):
        return {"up": self.named(None, "tensor"), "down": self.named("tensor", None)}


def constrain(layout, x, *axes):
    return jax.lax.with_sharding_constraint(x, layout.named(*axes))
