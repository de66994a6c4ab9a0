"""Collects the hard examples of all ranks after each epoch."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def gather(x):
    parts = [torch.empty_like(x) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x)
    return torch.cat(parts)


@torch.no_grad()
def hard_examples(net, loader, threshold):
    kept = []
    for x, y in loader:
        losses = nn.functional.cross_entropy(net(x), y, reduction="none")
        kept.append(x * (losses > threshold)[:, None])
    return gather(torch.cat(kept))


def main(epochs=4):
    dist.init_process_group("gloo")
    data = TensorDataset(*torch.load(os.environ["ROWS"], map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8))
    model = DDP(net)
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        hard = hard_examples(net, loader, 2.0)
        if dist.get_rank() == 0:
            torch.save(hard, f"hard_{epoch}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
