import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from data import Module


def main():
    dist.init_process_group("gloo")
    data = Module().setup()
    torch.manual_seed(1)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1)))
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    train, valid = data.loader(data.train), data.loader(data.valid)
    for epoch in range(5):
        train.sampler.set_epoch(epoch)
        for x, y in train:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
    with torch.no_grad():
        total = torch.stack([nn.functional.mse_loss(model.module(x), y) for x, y in valid]).mean()
    dist.all_reduce(total)
    if dist.get_rank() == 0:
        print(total.item() / dist.get_world_size())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
