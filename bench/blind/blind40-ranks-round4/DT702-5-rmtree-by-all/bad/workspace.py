import shutil
from pathlib import Path

import torch.distributed as dist


class Workspace:
    def __init__(self, root, fresh):
        self.root = Path(root)
        if fresh:
            self._clear()
        dist.barrier()

    def _clear(self):
        if self.root.exists():
            shutil.rmtree(self.root)
        self.root.mkdir(parents=True)

    def path(self, *parts):
        return self.root.joinpath(*parts)
