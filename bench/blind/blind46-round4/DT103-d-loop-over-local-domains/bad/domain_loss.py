import os
from collections import defaultdict

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

DOMAINS = ("web", "code", "books", "math", "wiki")


class Mixed(Dataset):
    def __init__(self, n=500, dim=10):
        g = torch.Generator().manual_seed(4)
        self.x = torch.randn(n, dim, generator=g)
        self.domain = torch.randint(0, len(DOMAINS), (n,), generator=g)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.x[i].sum(), DOMAINS[int(self.domain[i])]


def report(by_domain, device):
    means = {}
    for name, losses in by_domain.items():
        pair = torch.tensor([sum(losses), float(len(losses))], device=device)
        dist.all_reduce(pair)
        means[name] = (pair[0] / pair[1].clamp(min=1)).item()
    return means


def main(epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(10, 1).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = Mixed()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        by_domain = defaultdict(list)
        for x, y, names in loader:
            each = F.mse_loss(model(x.to(device)).squeeze(1), y.to(device), reduction="none")
            optimizer.zero_grad(set_to_none=True)
            each.mean().backward()
            optimizer.step()
            for name, value in zip(names, each.tolist()):
                by_domain[name].append(value)
        means = report(by_domain, device)
        if dist.get_rank() == 0:
            print(epoch, means)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
