import math

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main(total_batch=128, micro=8, epochs=2):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    world = dist.get_world_size()
    window = total_batch // (micro * world)
    x = torch.randn(4096, 4)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, micro, sampler=sampler, drop_last=True)
    model = DistributedDataParallel(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    steps = epochs * (len(loader) // window)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 0.5 * (1 + math.cos(math.pi * s / steps)))
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for index, (a, b) in enumerate(loader):
            if index >= window * (len(loader) // window):
                break
            last = (index + 1) % window == 0
            model.require_backward_grad_sync = last
            (nn.functional.mse_loss(model(a), b) / window).backward()
            if last:
                optimizer.step()
                optimizer.zero_grad()
                scheduler.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
