import json

import numpy as np
import torch
import torch.distributed as dist
from torch import nn


def load_docs(path):
    with open(path) as handle:
        return [json.loads(line)["vector"] for line in handle]


def share(docs, rank, world):
    docs = docs[: len(docs) - len(docs) % world]
    return np.array_split(np.asarray(docs, dtype=np.float32), world)[rank]


@torch.no_grad()
def main(path="docs.jsonl"):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    encoder = nn.Sequential(nn.Linear(64, 32), nn.Tanh())
    table = []
    for vector in share(load_docs(path), rank, world):
        code = encoder(torch.from_numpy(vector))
        parts = [torch.empty_like(code) for _ in range(world)]
        dist.all_gather(parts, code)
        if rank == 0:
            table.extend(parts)
    if rank == 0:
        torch.save(torch.stack(table), "codes.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
