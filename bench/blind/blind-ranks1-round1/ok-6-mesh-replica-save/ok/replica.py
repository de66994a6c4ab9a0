from pathlib import Path

import torch
import torch.distributed as dist


class ReplicaWriter:
    def __init__(self, mesh, folder):
        self.mesh = mesh
        self.folder = Path(folder)
        self.shard_group = mesh.get_group("shard")
        self.replica = mesh.get_local_rank("replicate")

    def save(self, local, step):
        if self.replica == 0:
            sizes = [None] * self.mesh["shard"].size()
            dist.all_gather_object(sizes, local.numel(), group=self.shard_group)
            offset = sum(sizes[: self.mesh.get_local_rank("shard")])
            self.folder.mkdir(parents=True, exist_ok=True)
            torch.save({"offset": offset, "values": local}, self.folder / f"{step}_{dist.get_rank()}.pt")
            dist.barrier(group=self.shard_group)
        dist.barrier()
