import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from data import make_loader


def setup():
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    local_rank = int(os.environ["LOCAL_RANK"])
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
        device = torch.device("cuda", local_rank)
    else:
        device = torch.device("cpu")
    dist.init_process_group(backend)
    return dist.get_rank(), dist.get_world_size(), device


class Bag(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.emb, self.out = nn.EmbeddingBag(256, dim), nn.Linear(dim, 2)

    def forward(self, ids):
        return self.out(self.emb(ids))


def main():
    rank, world, device = setup()
    torch.manual_seed(0)
    model = DDP(Bag().to(device), device_ids=[device.index] if device.type == "cuda" else None)
    torch.manual_seed(100 + rank)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = make_loader(rank, world, 16)
    for epoch in range(2):
        for batch in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(batch["ids"].to(device)), batch["label"].to(device))
            loss.backward()
            optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
