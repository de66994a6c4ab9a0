import os

import horovod.torch as hvd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def path_of(epoch):
    return f"/shared/ckpt/{epoch:03d}.pt"


def save(model, epoch):
    if hvd.rank() == 0:
        os.makedirs("/shared/ckpt", exist_ok=True)
        torch.save(model.state_dict(), path_of(epoch))
    if hvd.rank() == 0 and epoch >= 2:
        os.remove(path_of(epoch - 2))


def main():
    hvd.init()
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    opt = hvd.DistributedOptimizer(torch.optim.SGD(model.parameters(), lr=0.1), named_parameters=model.named_parameters())
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(300, 3, generator=gen)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, num_replicas=hvd.size(), rank=hvd.rank(), drop_last=True)
    loader = DataLoader(data, batch_size=10, sampler=sampler, drop_last=True)
    for epoch in range(6):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(a), b).backward()
            opt.step()
        save(model, epoch)
    hvd.shutdown()


if __name__ == "__main__":
    main()
