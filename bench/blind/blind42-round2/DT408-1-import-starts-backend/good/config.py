import dataclasses

import jax
import jax.numpy as jnp

DEFAULT_DTYPE = jnp.float32


@dataclasses.dataclass
class Config:
    width: int = 256
    depth: int = 4
    batch_per_device: int = 32
    dtype: jnp.dtype = DEFAULT_DTYPE
