import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from world import World


class Pendulum:
    """Noisy rollouts under a linear policy."""

    def __init__(self, seed, count, device):
        self.noise = torch.Generator(device=device).manual_seed(seed)
        self.count, self.device = count, device

    def rollout(self, policy, steps=12):
        state = torch.randn(self.count, 2, generator=self.noise, device=self.device)
        cost = 0.0
        for _ in range(steps):
            push = policy(state)
            kick = 0.1 * torch.randn(self.count, 1, generator=self.noise, device=self.device)
            speed = state[:, 1:] + 0.1 * (push + kick - torch.sin(state[:, :1]))
            state = torch.cat([state[:, :1] + 0.1 * speed, speed], 1)
            cost = cost + state.square().sum(1).mean() + 0.01 * push.square().mean()
        return cost / steps


def main():
    world = World.join()
    torch.manual_seed(0)
    policy = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1)).to(world.device)
    policy = DDP(policy, device_ids=[world.device.index] if world.device.type == "cuda" else None)
    opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
    pendulum = Pendulum(world.seed_for(7), 32, world.device)
    for _ in range(20):
        opt.zero_grad()
        pendulum.rollout(policy).backward()
        opt.step()
    if world.rank == 0:
        torch.save(policy.module.state_dict(), "policy.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
