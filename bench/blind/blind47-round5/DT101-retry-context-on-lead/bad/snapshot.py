import os
import tempfile

import torch
import torch.distributed as dist

from retry import retry


class Snapshots:
    def __init__(self, root: str):
        self.root = root

    @retry(times=5)
    def _write(self, name: str, state: dict) -> None:
        with tempfile.NamedTemporaryFile(dir=self.root, delete=False) as file:
            torch.save(state, file)
        os.replace(file.name, os.path.join(self.root, name))

    def keep(self, name: str, state: dict) -> None:
        dist.barrier()
        self._write(name, state)
