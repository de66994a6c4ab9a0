import math

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from schedule import OneCycle


def main(batch=16, epochs=3):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(2048, 4)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch, sampler=sampler)
    model = DistributedDataParallel(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    scheduler = OneCycle(0.1, epochs).over(
        optimizer, math.ceil(len(data) / batch)
    )
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(a), b).backward()
            optimizer.step()
            scheduler.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
