import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def toy(n=3200):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(n, 8, generator=g)
    return TensorDataset(x, x.sum(1, keepdim=True))


def start():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    return dist.get_rank(), dist.get_world_size(), local


class Ragged(torch.utils.data.Dataset):
    """Each rank has as many rows as it found."""

    def __init__(self, rank):
        self.n = 500 + 37 * rank
        self.rank = rank

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(self.rank * 10_000 + i)
        x = torch.randn(8, generator=g)
        return x, x.sum()[None]


def main():
    rank, world, local = start()
    loader = DataLoader(Ragged(rank), 16, shuffle=True)
    model = DDP(nn.Linear(8, 1).cuda(), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    steps = torch.tensor(len(loader), device="cuda")

    for epoch in range(3):
        batches = iter(loader)
        for _ in range(int(steps)):
            batch = next(batches, None)
            if batch is None:
                x, y, weight = torch.zeros(1, 8), torch.zeros(1, 1), 0.0
            else:
                (x, y), weight = batch, 1.0
            loss = weight * nn.functional.mse_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "ragged.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
