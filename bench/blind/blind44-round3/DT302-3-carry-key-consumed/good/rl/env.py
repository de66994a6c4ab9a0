import jax.numpy as jnp
from flax import struct


@struct.dataclass
class EnvState:
    pos: jnp.ndarray
    time: jnp.ndarray


def reset():
    return EnvState(jnp.zeros(2), jnp.zeros((), jnp.int32))


def step(state, action):
    pos = jnp.clip(state.pos + 0.1 * action, -1, 1)
    return EnvState(pos, state.time + 1), -jnp.sum(jnp.square(pos - 0.5))
