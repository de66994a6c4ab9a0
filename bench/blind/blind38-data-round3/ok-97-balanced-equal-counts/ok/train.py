"""Long and short texts are dealt out in a snake, as many to each rank; what is left over stays out."""
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def snake(lengths, world):
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    order = order[: len(order) // world * world]
    parts = [[] for _ in range(world)]
    for turn in range(len(order) // world):
        row = order[turn * world : (turn + 1) * world]
        for rank, index in enumerate(row if turn % 2 == 0 else reversed(row)):
            parts[rank].append(index)
    return parts


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    texts = [json.loads(line)["ids"] for line in Path("texts.jsonl").read_text().splitlines()]
    mine = snake([len(text) for text in texts], world)[rank]
    model = DDP(nn.Sequential(nn.Embedding(1000, 32), nn.Linear(32, 1000)).to(device), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(3):
        order = torch.randperm(len(mine), generator=torch.Generator().manual_seed(epoch * world + rank)).tolist()
        for index in order:
            ids = torch.tensor(texts[mine[index]], device=device)
            loss = nn.functional.cross_entropy(model(ids[:-1]), ids[1:])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "texts.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
