import jax
from flax import struct


@struct.dataclass
class TrainState:
    params: dict
    rng: jax.Array
    step: int = 0
