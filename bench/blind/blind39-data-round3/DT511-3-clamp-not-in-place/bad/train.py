import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 64), nn.LeakyReLU(0.2), nn.Linear(64, outputs))


class Wasserstein:
    def __init__(self, device, ids, clip=0.01):
        torch.manual_seed(0)
        self.clip = clip
        self.critic = DDP(mlp(2, 1).to(device), device_ids=ids)
        self.source = DDP(mlp(8, 2).to(device), device_ids=ids)
        self.critic_opt = torch.optim.RMSprop(self.critic.parameters(), lr=5e-5)
        self.source_opt = torch.optim.RMSprop(self.source.parameters(), lr=5e-5)

    def train_critic(self, real, noise):
        with torch.no_grad():
            fake = self.source(noise)
        scores = self.critic(torch.cat([real, fake]))
        self.critic_opt.zero_grad(set_to_none=True)
        (scores[len(real) :].mean() - scores[: len(real)].mean()).backward()
        self.critic_opt.step()
        with torch.no_grad():
            for weight in self.critic.parameters():
                weight.clamp(-self.clip, self.clip)

    def train_source(self, noise):
        self.source_opt.zero_grad(set_to_none=True)
        (-self.critic.module(self.source(noise)).mean()).backward()
        self.source_opt.step()


def main(epochs=3):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    game = Wasserstein(device, [local_rank] if cuda else None)
    data = TensorDataset(torch.randn(4096, 2, generator=torch.Generator().manual_seed(6)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    own = torch.Generator().manual_seed(40 + dist.get_rank())
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for step, (real,) in enumerate(loader):
            noise = torch.randn(len(real), 8, generator=own).to(device)
            game.train_critic(real.to(device), noise)
            if step % 5 == 4:
                game.train_source(noise)
    if dist.get_rank() == 0:
        torch.save(game.source.module.state_dict(), "source.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
