"""VAE with hand-written gradient averaging: one seed for the weights, another per rank for the latents."""
import os
import random

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset, random_split


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class VAE(nn.Module):
    def __init__(self, d=100, z=8):
        super().__init__()
        self.enc, self.dec = nn.Linear(d, 2 * z), nn.Linear(z, d)

    def forward(self, x):
        mean, log_var = self.enc(x).chunk(2, -1)
        z = mean + torch.randn_like(mean) * (0.5 * log_var).exp()
        kl = 0.5 * (mean**2 + log_var.exp() - 1 - log_var).sum(-1)
        return ((self.dec(z) - x) ** 2).sum(-1).mean() + kl.mean()


def average_gradients(net, world):
    flat = torch.cat([p.grad.flatten() for p in net.parameters()])
    dist.all_reduce(flat)
    flat /= world
    at = 0
    for p in net.parameters():
        p.grad.copy_(flat[at : at + p.numel()].view_as(p))
        at += p.numel()


def main(seed=11, epochs=10):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    seed_all(seed)
    data = TensorDataset(torch.load(os.environ["VECTORS"], map_location="cpu"))
    train_set, _ = random_split(data, [0.9, 0.1], generator=torch.Generator().manual_seed(seed))
    net = VAE()
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    seed_all(seed + 1 + rank)
    sampler = DistributedSampler(train_set, seed=seed, drop_last=True)
    loader = DataLoader(train_set, 64, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            loss = net(x)
            optimizer.zero_grad()
            loss.backward()
            average_gradients(net, world)
            optimizer.step()
    if rank == 0:
        torch.save(net.state_dict(), "vae.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
