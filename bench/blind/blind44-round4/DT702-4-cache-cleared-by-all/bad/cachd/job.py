import torch
import torch.distributed as dist

from cachd.folder import Folder


class Job:
    def __init__(self, path):
        self.rank = dist.get_rank()
        self.folder = Folder(path).fresh()
        dist.barrier()

    def run(self):
        x = torch.randn(100, 4, generator=torch.Generator().manual_seed(self.rank))
        torch.save(x.cumsum(0), self.folder.path / f"walk{self.rank}.pt")
        dist.barrier()
