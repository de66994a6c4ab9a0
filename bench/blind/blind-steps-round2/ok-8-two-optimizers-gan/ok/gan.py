import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers[:-1])


class Gan:
    def __init__(self, device, ids):
        self.device = device
        self.gen = DDP(mlp(8, 32, 2).to(device), device_ids=ids)
        self.disc = DDP(mlp(2, 32, 1).to(device), device_ids=ids, broadcast_buffers=False)
        self.opt_g = torch.optim.Adam(self.gen.parameters(), lr=2e-4, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(self.disc.parameters(), lr=2e-4, betas=(0.5, 0.999))

    def noise(self, n):
        return torch.randn(n, 8, device=self.device)

    def step(self, real):
        fake = self.gen(self.noise(len(real)))
        self.opt_d.zero_grad(set_to_none=True)
        scores = self.disc(torch.cat([real, fake.detach()]))
        wanted = torch.cat([torch.ones(len(real), 1), torch.zeros(len(real), 1)]).to(self.device)
        F.binary_cross_entropy_with_logits(scores, wanted).backward()
        self.opt_d.step()

        self.opt_g.zero_grad(set_to_none=True)
        self.disc.requires_grad_(False)
        F.softplus(-self.disc.module(fake)).mean().backward()
        self.disc.requires_grad_(True)
        self.opt_g.step()


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    gan = Gan(device, [local] if cuda else None)
    torch.manual_seed(1 + dist.get_rank())
    data = TensorDataset(torch.randn(1024, 2, generator=torch.Generator().manual_seed(0)) * 0.3 + 1)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (real,) in loader:
            gan.step(real.to(device))
    if dist.get_rank() == 0:
        torch.save(gan.gen.module.state_dict(), "gen.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
