import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from config import TrainConfig


def data():
    x = torch.randn(1024, 9, generator=torch.Generator().manual_seed(2))
    return TensorDataset(x, x.cos().sum(1))


def make_loader(dataset, batch_size):
    sampler = DistributedSampler(dataset, drop_last=True)
    return sampler, DataLoader(dataset, batch_size=batch_size, sampler=sampler, drop_last=True)


def main():
    cfg = TrainConfig()
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    world = dist.get_world_size()
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 1)).to(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    batch_size = cfg.per_rank(world)
    sampler, loader = make_loader(data(), batch_size // world)
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = F.mse_loss(model(x.to(device))[:, 0], y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "cos.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
