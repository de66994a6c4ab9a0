import jax
import numpy as np
from jax.sharding import Mesh

NAMES = ("dp", "tp")


def make_mesh(tp):
    devices = np.array(jax.devices())
    return Mesh(devices.reshape(devices.size // tp, tp), NAMES)
