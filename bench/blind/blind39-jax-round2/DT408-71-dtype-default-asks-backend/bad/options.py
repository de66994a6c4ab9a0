import dataclasses

import jax
import jax.numpy as jnp


def preferred_dtype():
    return jnp.bfloat16 if jax.default_backend() == "tpu" else jnp.float32


@dataclasses.dataclass
class Options:
    width: int = 256
    batch: int = 1024
    steps: int = 500
    lr: float = 3e-4
    dtype: jnp.dtype = preferred_dtype()
