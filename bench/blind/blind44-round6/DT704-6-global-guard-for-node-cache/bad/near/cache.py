import pathlib
import shutil

import torch.distributed as dist

NEAR = pathlib.Path("/tmp/near")


class Near:
    """A copy of shared files on the node's own disk."""

    def __init__(self, rank):
        self.filler = rank == 0

    def fetch(self, path):
        here = NEAR / pathlib.Path(path).name
        if self.filler:
            NEAR.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, here)
        dist.barrier()
        return here
