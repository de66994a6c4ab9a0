import json
import pathlib

import jax
from jax.experimental import multihost_utils


class Publisher:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.lead = jax.process_index() == 0

    def publish(self, name, values):
        if not self.lead:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(json.dumps(values))
        multihost_utils.sync_global_devices(f"published {name}")
