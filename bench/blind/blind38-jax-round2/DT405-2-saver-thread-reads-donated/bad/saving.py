import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jax


def write(path, tree):
    path.write_bytes(pickle.dumps(jax.device_get(tree)))


class BackgroundSaver:
    """Training goes on while the last snapshot is written."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.pending = None

    def save(self, step, tree):
        self.wait()
        self.pending = self.pool.submit(write, self.folder / f"{step:08d}.pkl", tree)

    def wait(self):
        if self.pending is not None:
            self.pending.result()
            self.pending = None

    def close(self):
        self.wait()
        self.pool.shutdown()
