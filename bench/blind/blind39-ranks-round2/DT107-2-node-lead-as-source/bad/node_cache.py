import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Place:
    rank: int
    local_rank: int
    per_node: int
    world: int

    @classmethod
    def from_environment(cls):
        env = os.environ
        return cls(int(env["RANK"]), int(env["LOCAL_RANK"]), int(env["LOCAL_WORLD_SIZE"]), int(env["WORLD_SIZE"]))

    @property
    def node_lead(self):
        return self.rank - self.local_rank

    def node_groups(self):
        groups = [dist.new_group(list(range(first, first + self.per_node))) for first in range(0, self.world, self.per_node)]
        return groups[self.rank // self.per_node]


def share_features(place, group, device, shape=(400, 15)):
    """The first rank of a node computes the features, its neighbours receive them."""
    if place.local_rank == 0:
        features = torch.randn(shape, generator=torch.Generator().manual_seed(3)).to(device)
    else:
        features = torch.empty(shape, device=device)
    dist.broadcast(features, src=place.node_lead)
    return features.cpu()


def main():
    place = Place.from_environment()
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(place.local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", place.local_rank) if cuda else torch.device("cpu")
    group = place.node_groups()
    features = share_features(place, group, device)
    data = TensorDataset(features, features.sum(dim=1, keepdim=True))
    torch.manual_seed(0)
    model = DDP(nn.Linear(15, 1).to(device), device_ids=[place.local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
