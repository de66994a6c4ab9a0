"""Fine-tuning on recordings; files are dealt out so that every rank reads about the same number of bytes."""
import heapq
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def balanced(entries, world):
    """Largest first, each to the rank that has least so far."""
    heap = [(0, rank) for rank in range(world)]
    parts = [[] for _ in range(world)]
    for entry in sorted(entries, key=lambda e: (-e["bytes"], e["file"])):
        load, rank = heapq.heappop(heap)
        parts[rank].append(entry["file"])
        heapq.heappush(heap, (load + entry["bytes"], rank))
    return parts


class Spectrum(nn.Module):
    def __init__(self, bins=257, classes=35):
        super().__init__()
        self.norm = nn.LayerNorm(bins)
        self.rnn = nn.GRU(bins, 256, num_layers=2, batch_first=True)
        self.out = nn.Linear(256, classes)

    def forward(self, x):
        states, _ = self.rnn(self.norm(x))
        return self.out(states.mean(dim=1))


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(4)

    root = Path("/data/recordings")
    entries = json.loads((root / "manifest.json").read_text())
    parts = balanced(entries, world)
    mine = parts[rank]

    model = DDP(Spectrum().to(device), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    for epoch in range(8):
        order = torch.randperm(len(mine), generator=torch.Generator().manual_seed(epoch)).tolist()
        summed = torch.zeros(2, device=device)
        for index in order:
            item = torch.load(root / mine[index], map_location="cpu", weights_only=True)
            loss = nn.functional.cross_entropy(model(item["frames"].to(device)), item["label"].to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            summed[0] += loss.detach()
            summed[1] += 1
        dist.all_reduce(summed)
        if rank == 0:
            print(epoch, (summed[0] / summed[1]).item(), flush=True)
            torch.save(model.module.state_dict(), "spectrum.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
