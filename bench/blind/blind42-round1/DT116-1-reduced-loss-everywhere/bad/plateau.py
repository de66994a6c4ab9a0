"""Plateau-scheduled training of a small convnet on stored spectrograms."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def convnet(classes):
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4),
        nn.Flatten(), nn.Linear(512, classes),
    )


def mean_over_ranks(total, count):
    """Mean of a sum and a count that each rank has over its own validation shard."""
    pair = torch.tensor([total, count], dtype=torch.float64)
    dist.reduce(pair, dst=0)
    return (pair[0] / pair[1]).item()


@torch.no_grad()
def validation_loss(net, loader):
    net.eval()
    total = count = 0.0
    for x, y in loader:
        total += nn.functional.cross_entropy(net(x), y, reduction="sum").item()
        count += len(y)
    net.train()
    return mean_over_ranks(total, count)


def main(epochs=30):
    dist.init_process_group("gloo")
    train_set = TensorDataset(*torch.load(os.environ["TRAIN"], map_location="cpu"))
    valid_set = TensorDataset(*torch.load(os.environ["VALID"], map_location="cpu"))
    sampler = DistributedSampler(train_set, drop_last=True)
    train = DataLoader(train_set, 64, sampler=sampler, drop_last=True)
    valid = DataLoader(valid_set, 256, sampler=DistributedSampler(valid_set, shuffle=False))
    net = convnet(35)
    model = DDP(net)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    scheduler = ReduceLROnPlateau(optimizer, factor=0.3, patience=2)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in train:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step(validation_loss(net, valid))
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "convnet.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
