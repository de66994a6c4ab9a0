import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from cached import cached_on_disk


@cached_on_disk("features.pt")
def features(count):
    g = torch.Generator().manual_seed(1)
    x = torch.randn(count, 6, generator=g)
    return {"x": x.cumsum(0), "y": x.sum(1, keepdim=True)}


def main():
    dist.init_process_group("gloo")
    table = features(512)
    data = TensorDataset(table["x"], table["y"])
    torch.manual_seed(0)
    sampler = DistributedSampler(data)
    model = DistributedDataParallel(nn.Linear(6, 1))
    optimizer = torch.optim.SGD(model.parameters(), 1e-4)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in DataLoader(data, 16, sampler=sampler):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(a), b).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
