import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


class ShardReader:
    """Walks over the shards of this rank; starts again when it has come to the end."""

    def __init__(self, root, batch_size, device):
        rank, world = dist.get_rank(), dist.get_world_size()
        self.paths = sorted(Path(root).glob("shard_*.pt"))[rank::world]
        self.batch_size, self.device = batch_size, device
        self.turns, self.batches = 0, self.walk()

    def walk(self):
        for path in self.paths:
            rows = torch.load(path, map_location="cpu")
            for part in rows.split(self.batch_size):
                if len(part) == self.batch_size:
                    yield part.to(self.device)

    def next(self):
        try:
            return next(self.batches)
        except StopIteration:
            self.turns += 1
            dist.barrier()
            self.batches = self.walk()
            return next(self.batches)


class Masked(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, keep):
        return F.mse_loss(self.net(x * keep), x)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(Masked().to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    reader = ShardReader(os.environ.get("SHARDS", "shards"), 128, device)
    gen = torch.Generator(device).manual_seed(40 + dist.get_rank())
    for step in range(10_000):
        x = reader.next()
        keep = (torch.rand(x.shape, generator=gen, device=device) > 0.3).float()
        opt.zero_grad()
        model(x, keep).backward()
        opt.step()
        if step % 1000 == 0 and dist.get_rank() == 0:
            print(step, "turns", reader.turns)
            torch.save(model.module.state_dict(), "masked.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
