import pathlib

import jax
from flax import jax_utils, serialization


class Store:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)

    def latest(self):
        found = sorted(self.directory.glob("step_*.msgpack"))
        return found[-1] if found else None

    def save(self, state, step):
        host_state = jax.device_get(jax_utils.unreplicate(state))
        if jax.process_index() == 0:
            path = self.directory / f"step_{step:08d}.msgpack"
            path.write_bytes(serialization.to_bytes(host_state))

    def restore(self, state):
        path = self.latest()
        if path is None:
            return state
        return serialization.from_bytes(state, path.read_bytes())
