import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from gan.nets import critic, generator

Z, D = 8, 5


class Gan:
    def __init__(self, device):
        ids = [device.index] if device.type == "cuda" else None
        self.device = device
        self.g = DDP(generator(Z, D).to(device), device_ids=ids)
        self.d = DDP(critic(D).to(device), device_ids=ids)
        self.opt_g = torch.optim.Adam(self.g.parameters(), 2e-4, betas=(0.5, 0.9))
        self.opt_d = torch.optim.Adam(self.d.parameters(), 2e-4, betas=(0.5, 0.9))

    def critic_step(self, real):
        with torch.no_grad():
            fake = self.g(torch.randn(len(real), Z, device=self.device))
        scores = self.d(torch.cat([real, fake]))
        on_real, on_fake = scores.chunk(2)
        loss = F.softplus(-on_real).mean() + F.softplus(on_fake).mean()
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()

    def generator_step(self, n):
        for p in self.d.module.parameters():
            p.requires_grad_(False)
        loss = F.softplus(-self.d.module(self.g(torch.randn(n, Z, device=self.device)))).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        for p in self.d.module.parameters():
            p.requires_grad_(True)


def main(epochs=3, critic_steps=2):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    gan = Gan(device)
    torch.manual_seed(1000 + rank)
    real = torch.randn(2048, D, generator=torch.Generator().manual_seed(0)) * 2 + 1
    data = TensorDataset(real)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for i, (x,) in enumerate(loader):
            gan.critic_step(x.to(device))
            if (i + 1) % critic_steps == 0:
                gan.generator_step(len(x))
    if rank == 0:
        torch.save({"g": gan.g.module.state_dict(), "d": gan.d.module.state_dict()}, "gan.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
