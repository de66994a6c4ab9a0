"""Point-cloud classifier; the network is built on the CPU and goes to the device at the end of the set-up."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class PointNet(nn.Module):
    def __init__(self, classes=6):
        super().__init__()
        self.point = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 256), nn.ReLU())
        self.cloud = nn.Sequential(nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, classes))

    def forward(self, clouds):
        return self.cloud(self.point(clouds).amax(dim=1))


def clouds(rows=3000, points=64):
    g = torch.Generator().manual_seed(0)
    kind = torch.randint(6, (rows,), generator=g)
    return TensorDataset(torch.randn(rows, points, 3, generator=g) * (1 + kind.view(-1, 1, 1)), kind)


class Setup:
    def __init__(self):
        self.local = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local)
        self.device = torch.device("cuda", self.local)
        dist.init_process_group("nccl")
        self.rank = dist.get_rank()

    def model(self):
        torch.manual_seed(0)
        wrapped = DistributedDataParallel(PointNet())
        return wrapped.to(self.device)

    def loader(self, rows):
        sampler = DistributedSampler(rows, shuffle=True, drop_last=True)
        return DataLoader(rows, 50, sampler=sampler, drop_last=True, pin_memory=True), sampler


def main():
    setup = Setup()
    model = setup.model()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader, sampler = setup.loader(clouds())
    for epoch in range(10):
        sampler.set_epoch(epoch)
        for x, kind in loader:
            loss = nn.functional.cross_entropy(model(x.to(setup.device)), kind.to(setup.device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if setup.rank == 0:
        torch.save(model.module.state_dict(), "points.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
