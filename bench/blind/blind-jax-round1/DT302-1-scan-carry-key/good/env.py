import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class EnvState:
    pos: jax.Array
    t: jax.Array


def reset(key):
    return EnvState(pos=jax.random.uniform(key, (2,), minval=-1.0), t=jnp.zeros((), jnp.int32))


def step(key, state, action):
    wind = 0.05 * jax.random.normal(key, (2,))
    pos = jnp.clip(state.pos + 0.1 * action + wind, -2.0, 2.0)
    reward = -jnp.sum(pos**2)
    return EnvState(pos=pos, t=state.t + 1), pos, reward
