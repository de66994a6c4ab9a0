from flax import jax_utils, serialization


def write(path, state):
    params = jax_utils.unreplicate(state).params
    with open(path, "wb") as handle:
        handle.write(serialization.to_bytes(params))
