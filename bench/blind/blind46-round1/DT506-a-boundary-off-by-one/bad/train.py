import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def corpus(n=1024, dim=20):
    g = torch.Generator().manual_seed(13)
    x = torch.randn(n, dim, generator=g)
    return TensorDataset(x, (x.sum(1) > 0).long())


class Accumulator:
    def __init__(self, model, every):
        self.model, self.every = model, every

    def is_boundary(self, index):
        return (index + 1) % self.every == 0

    def context(self, index):
        last = index % self.every == 0
        return contextlib.nullcontext() if last else self.model.no_sync()


def main(every=4, epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = corpus()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    acc = Accumulator(model, every)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        usable = len(loader) - len(loader) % every
        for index, (x, y) in enumerate(loader):
            if index >= usable:
                break
            with acc.context(index):
                loss = F.cross_entropy(model(x.to(device)), y.to(device)) / every
                loss.backward()
            if acc.is_boundary(index):
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
