from typing import Any

import jax
import optax
from flax import jax_utils, struct


@struct.dataclass
class GanState:
    gen: Any
    gen_opt: Any
    rng: jax.Array


def create(params, tx, key):
    return GanState(gen=params, gen_opt=tx.init(params), rng=key)


def distribute(state):
    keys = jax.random.split(state.rng, jax.local_device_count())
    return jax_utils.replicate(state).replace(rng=keys)
