"""Graph property prediction; noise differs from rank to rank, the sampler takes torch's seed."""
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Plan:
    seed: int = 123
    epochs: int = 15
    batch: int = 32
    noise: float = 0.05


class Molecules(nn.Module):
    def __init__(self, atoms=24, width=64):
        super().__init__()
        self.message = nn.Linear(2 * width, width)
        self.embed = nn.Linear(8, width)
        self.out = nn.Linear(width, 1)

    def forward(self, features, adjacency):
        h = self.embed(features)
        for _ in range(3):
            h = h + torch.relu(self.message(torch.cat([h, adjacency @ h], dim=-1)))
        return self.out(h.mean(dim=1)).squeeze(-1)


def molecules(rows=4000, atoms=24):
    g = torch.Generator().manual_seed(0)
    features = torch.randn(rows, atoms, 8, generator=g)
    adjacency = (torch.rand(rows, atoms, atoms, generator=g) < 0.15).float()
    return TensorDataset(features, adjacency, features.mean(dim=(1, 2)) + adjacency.mean(dim=(1, 2)))


def start(plan):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(plan.seed + dist.get_rank())
    return torch.device("cuda", local) if cuda else torch.device("cpu")


def main():
    plan = Plan()
    device = start(plan)
    rows = molecules()
    sampler = DistributedSampler(rows, shuffle=True, seed=torch.initial_seed() % 2**31, drop_last=True)
    loader = DataLoader(rows, batch_size=plan.batch, sampler=sampler, drop_last=True)
    model = DDP(Molecules().to(device), device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(plan.epochs):
        sampler.set_epoch(epoch)
        for features, adjacency, target in loader:
            features = features.to(device)
            features = features + plan.noise * torch.randn_like(features)
            loss = nn.functional.l1_loss(model(features, adjacency.to(device)), target.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        if dist.get_rank() == 0:
            print(epoch, mean.item() / dist.get_world_size(), flush=True)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "molecules.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
