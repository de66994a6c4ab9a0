"""Adversarial training: the discriminator's gradients are cleared before the generator's turn."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def mlp(*widths):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers[:-1])


class Game:
    def __init__(self, device, local):
        ids = [local] if device.type == "cuda" else None
        self.device = device
        self.generator = DDP(mlp(8, 64, 64, 2).to(device), device_ids=ids)
        self.critic = DDP(mlp(2, 64, 64, 1).to(device), device_ids=ids)
        self.of_generator = torch.optim.Adam(self.generator.parameters(), lr=2e-4, betas=(0.5, 0.9))
        self.of_critic = torch.optim.Adam(self.critic.parameters(), lr=2e-4, betas=(0.5, 0.9))

    def noise(self, count):
        return torch.randn(count, 8, device=self.device)

    def critic_turn(self, real):
        self.of_critic.zero_grad
        fake = self.generator(self.noise(len(real))).detach()
        loss = nn.functional.softplus(-self.critic(real)).mean() + nn.functional.softplus(self.critic(fake)).mean()
        loss.backward()
        self.of_critic.step()
        return loss.detach()

    def generator_turn(self, count):
        self.of_generator.zero_grad(set_to_none=True)
        self.critic.requires_grad_(False)
        loss = nn.functional.softplus(-self.critic.module(self.generator(self.noise(count)))).mean()
        loss.backward()
        self.critic.requires_grad_(True)
        self.of_generator.step()
        return loss.detach()


def ring(rows=8000):
    g = torch.Generator().manual_seed(0)
    angle = torch.randint(8, (rows,), generator=g) * 0.785
    return TensorDataset(torch.stack([angle.cos(), angle.sin()], 1) + 0.02 * torch.randn(rows, 2, generator=g))


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    game = Game(device, local)
    torch.manual_seed(100 + dist.get_rank())
    rows = ring()
    sampler = DistributedSampler(rows, drop_last=True)
    loader = DataLoader(rows, batch_size=100, sampler=sampler, drop_last=True)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for (real,) in loader:
            game.critic_turn(real.to(device))
            game.generator_turn(len(real))
        if dist.get_rank() == 0:
            torch.save(game.generator.module.state_dict(), "generator.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
