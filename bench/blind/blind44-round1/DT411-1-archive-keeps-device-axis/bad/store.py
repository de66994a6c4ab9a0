import pathlib

import jax
from flax import jax_utils, serialization


class Archive:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def put(self, name, state):
        if jax.process_index() == 0:
            host = jax.device_get(state)
            (self.folder / f"{name}.msgpack").write_bytes(serialization.to_bytes(host))

    def get(self, name, template):
        return serialization.from_bytes(template, (self.folder / f"{name}.msgpack").read_bytes())
