import pickle
from pathlib import Path

import jax
from flax import jax_utils

PATH = Path("state.pkl")


def save(state):
    if jax.process_index() == 0:
        PATH.write_bytes(pickle.dumps(jax.device_get(jax_utils.unreplicate(state))))


def restore_or(state):
    if PATH.exists():
        state = pickle.loads(PATH.read_bytes())
        state = jax_utils.replicate(state)
    return state
