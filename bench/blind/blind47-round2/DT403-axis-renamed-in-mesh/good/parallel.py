from typing import Callable

import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P


def mesh() -> Mesh:
    return Mesh(np.asarray(jax.devices()), ("data",))


def over_data(fn: Callable, layout: Mesh) -> Callable:
    return jax.jit(jax.shard_map(fn, mesh=layout, in_specs=(P(), P("data")), out_specs=P(), check_vma=False))
