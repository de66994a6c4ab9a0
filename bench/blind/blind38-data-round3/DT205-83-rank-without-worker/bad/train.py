"""Log lines are read as a stream; each rank takes every world-th line."""
import itertools
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset


class Lines(IterableDataset):
    def __init__(self, path, rank, world, width=512):
        self.path = Path(path)
        self.rank = rank
        self.world = world
        self.width = width

    def hashed(self, line):
        x = torch.zeros(self.width)
        for word in line.split()[1:]:
            x[sum(word.encode()) % self.width] += 1.0
        return x, float(line.startswith("ERROR"))

    def __iter__(self):
        with self.path.open() as handle:
            for line in itertools.islice(handle, self.rank, None, self.world):
                yield self.hashed(line)


def main(steps=3000):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    rows = Lines("/data/service.log", rank, world)
    loader = DataLoader(rows, batch_size=128, num_workers=4, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 1)).to(device), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step, (x, y) in enumerate(itertools.islice(loader, steps)):
        scores = model(x.to(device, non_blocking=True)).squeeze(1)
        loss = nn.functional.binary_cross_entropy_with_logits(scores, y.float().to(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 500 == 0:
            shown = loss.detach().clone()
            dist.all_reduce(shown, op=dist.ReduceOp.AVG)
            if rank == 0:
                print(step, shown.item(), flush=True)
    if rank == 0:
        torch.save(model.module.state_dict(), "logs.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
