import os

import jax
import numpy as np
from jax.sharding import Mesh


def overlap_flags():
    flags = os.environ.get("XLA_FLAGS", "").split()
    flags.append("--xla_gpu_enable_latency_hiding_scheduler=true")
    os.environ["XLA_FLAGS"] = " ".join(dict.fromkeys(flags))
    os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.92")


def mesh(axis="fsdp"):
    return Mesh(np.asarray(jax.devices()), (axis,))
