import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, Subset


class Graphs(Dataset):
    """Graphs of different size: one at a time."""

    def __init__(self, n=1003):
        self.sizes = np.random.default_rng(5).integers(4, 20, n)

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, i):
        gen = torch.Generator().manual_seed(int(i))
        nodes = torch.randn(int(self.sizes[i]), 6, generator=gen)
        return nodes, nodes.sum()


class Readout(nn.Module):
    def __init__(self):
        super().__init__()
        self.node = nn.Sequential(nn.Linear(6, 32), nn.SiLU(), nn.Linear(32, 1))

    def forward(self, nodes):
        return self.node(nodes).sum()


def my_part(dataset, epoch, rank, world):
    order = np.random.default_rng([11, epoch]).permutation(len(dataset))
    return Subset(dataset, np.array_split(order, world)[rank].tolist())


def main(epochs=2):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(Readout().to(device), device_ids=[local] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    dataset = Graphs()
    for epoch in range(epochs):
        loader = DataLoader(my_part(dataset, epoch, rank, world), batch_size=None)
        for nodes, target in loader:
            loss = (model(nodes.to(device)) - target.to(device)).abs()
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
