import copy
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def mlp(i, o, width=96):
    return nn.Sequential(nn.Linear(i, width), nn.LeakyReLU(0.2), nn.Linear(width, o))


class Adversary:
    def __init__(self, device, ids):
        torch.manual_seed(0)
        self.device = device
        self.generator = DDP(mlp(16, 32).to(device), device_ids=ids)
        self.critic = DDP(mlp(32, 1).to(device), device_ids=ids, broadcast_buffers=False)
        self.teacher = copy.deepcopy(self.generator.module).requires_grad_(False).eval()
        self.g_opt = torch.optim.Adam(self.generator.parameters(), lr=2e-4, betas=(0.5, 0.99))
        self.c_opt = torch.optim.Adam(self.critic.parameters(), lr=4e-4, betas=(0.5, 0.99))

    @torch.no_grad()
    def follow(self, decay=0.999):
        for slow, fast in zip(self.teacher.parameters(), self.generator.module.parameters()):
            slow.lerp_(fast, 1 - decay)

    def critic_step(self, real, noise):
        with torch.no_grad():
            fake = self.generator(noise)
        scores = self.critic(torch.cat([real, fake]))
        good, bad = scores.chunk(2)
        self.c_opt.zero_grad(set_to_none=True)
        (F.softplus(-good).mean() + F.softplus(bad).mean()).backward()
        self.c_opt.step()

    def generator_step(self, noise):
        self.critic.requires_grad_(False)
        self.g_opt.zero_grad(set_to_none=True)
        F.softplus(-self.critic.module(self.generator(noise))).mean().backward()
        self.g_opt.step()
        self.critic.requires_grad_(True)
        self.follow()


def main(epochs=2):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    gen = torch.Generator().manual_seed(44)
    data = TensorDataset(torch.randn(4096, 32, generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    pair = Adversary(device, [local_rank])
    noise_gen = torch.Generator(device=device).manual_seed(900 + dist.get_rank())
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (real,) in loader:
            noise = torch.randn(len(real), 16, device=device, generator=noise_gen)
            pair.critic_step(real.to(device), noise)
            pair.generator_step(noise)
    if dist.get_rank() == 0:
        torch.save(pair.teacher.state_dict(), "teacher.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
