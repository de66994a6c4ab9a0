"""Builds a quantiser codebook by distributed k-means; a finished stage is skipped on restart."""
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist


class Stage:
    def __init__(self, root, name):
        self.marker = Path(root) / f"{name}.done"
        self.rank = dist.get_rank()
        self.finished = False
        if self.rank == 0:
            self.finished = self.marker.exists()

    def finish(self, stats):
        gathered = [None] * dist.get_world_size()
        dist.all_gather_object(gathered, stats)
        if self.rank == 0:
            self.marker.write_text(json.dumps(gathered))
        dist.barrier()


def kmeans(x, k, iterations, seed=0):
    gen = torch.Generator().manual_seed(seed)
    centres = torch.randn(k, x.shape[1], generator=gen)
    for _ in range(iterations):
        owner = torch.cdist(x, centres).argmin(1)
        sums = torch.zeros_like(centres).index_add_(0, owner, x)
        counts = torch.bincount(owner, minlength=k).float()
        dist.all_reduce(sums)
        dist.all_reduce(counts)
        centres = torch.where(counts[:, None] > 0, sums / counts.clamp(min=1)[:, None], centres)
    return centres, owner


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    root = os.environ.get("INDEX_DIR", "index")
    os.makedirs(root, exist_ok=True)
    x = torch.load(f"vectors_{rank:02d}.pt", map_location="cpu")
    stage = Stage(root, "codebook")
    if not stage.finished:
        centres, owner = kmeans(x, k=256, iterations=25)
        if rank == 0:
            torch.save(centres, f"{root}/codebook.pt")
        stage.finish({"rank": rank, "rows": len(x), "largest": int(torch.bincount(owner).max())})
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
