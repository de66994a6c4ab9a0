import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import steps


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(256, 4)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 16, sampler=sampler)
    model = DistributedDataParallel(nn.Linear(4, 1))
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for a, b in loader:
            steps.clear(model.parameters())
            nn.functional.mse_loss(model(a), b).backward()
            steps.sgd(model.parameters(), 0.05)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
