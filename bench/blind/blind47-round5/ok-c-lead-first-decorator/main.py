from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from ordered import lead_first


@lead_first()
def features(path: Path):
    if not path.exists():
        x = torch.randn(256, 4, generator=torch.Generator().manual_seed(0))
        torch.save(x, path)
    return torch.load(path, weights_only=True)


def main():
    dist.init_process_group("gloo")
    data = TensorDataset(features(Path("features.pt")))
    torch.manual_seed(0)
    sampler = DistributedSampler(data)
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in DataLoader(data, 16, sampler=sampler):
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
