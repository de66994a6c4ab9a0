import json
import pathlib

import jax


class Ledger:
    """Keeps the history of the run; the main process writes it to disk."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.process = jax.process_index()
        self.rows = []

    def add(self, step, **values):
        self.rows.append({"step": step, **{k: float(v) for k, v in values.items()}})

    def flush(self):
        if self.process == 0:
            self.path.write_text(json.dumps(self.rows, indent=1))
