import jax
import numpy as np
from jax.sharding import Mesh


def two_level_mesh(model_parallel):
    data_parallel = jax.device_count() // model_parallel
    return Mesh(np.asarray(jax.devices()).reshape(data_parallel, model_parallel), ("data", "model"))
