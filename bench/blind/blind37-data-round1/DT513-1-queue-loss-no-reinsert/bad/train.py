import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from losses import SupConLoss


class Projector(nn.Module):
    def __init__(self, dim=48, hidden=256, out=64):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(dim, hidden), nn.LayerNorm(hidden), nn.ReLU())
        self.head = nn.Linear(hidden, out)

    def forward(self, x):
        return self.head(self.trunk(x))


def clusters(n=4096, dim=48, classes=10):
    g = torch.Generator().manual_seed(41)
    centres = torch.randn(classes, dim, generator=g) * 2
    labels = torch.randint(classes, (n,), generator=g)
    return TensorDataset(centres[labels] + torch.randn(n, dim, generator=g), labels)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    data = clusters()
    sampler = DistributedSampler(data, seed=8, drop_last=True)
    loader = DataLoader(data, batch_size=128, sampler=sampler, drop_last=True)
    model = DistributedDataParallel(Projector().to(device), device_ids=[local_rank] if cuda else None)
    criterion = SupConLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = criterion(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.trunk.state_dict(), "trunk.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
