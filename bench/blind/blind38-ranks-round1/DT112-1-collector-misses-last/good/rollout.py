import os

import torch
import torch.distributed as dist
import torch.nn as nn


class Pole:
    """A tiny balancing task; the reward is the time it stays up."""

    def __init__(self, gen):
        self.gen = gen

    def run(self, policy, horizon):
        state = torch.randn(4, generator=self.gen) * 0.05
        states, total = [], 0.0
        for _ in range(horizon):
            action = policy(state)
            state = 0.98 * state + 0.1 * torch.cat([action, -action]).detach() + 0.01 * torch.randn(4, generator=self.gen)
            states.append(state)
            total += float(1.0 - state.norm())
        return torch.stack(states), total


def collect(policy, rank, world, horizon):
    """Rank 0 learns; everybody else plays and posts one trajectory of fixed length."""
    if rank == 0:
        trajectories = []
        for player in range(1, world):
            buffer = torch.empty(horizon + 1, 4)
            dist.recv(buffer, src=player)
            trajectories.append((buffer[:-1], buffer[-1, 0].item()))
        return trajectories
    env = Pole(torch.Generator().manual_seed(5000 + rank))
    states, total = env.run(policy, horizon)
    summary = torch.tensor([[total, 0.0, 0.0, 0.0]])
    dist.send(torch.cat([states, summary]), dst=0)
    return []


def share(policy):
    for p in policy.parameters():
        dist.broadcast(p.data, src=0)


def improve(policy, opt, trajectories):
    baseline = sum(total for _, total in trajectories) / max(1, len(trajectories))
    opt.zero_grad()
    for states, total in trajectories:
        ((baseline - total) * policy(states).square().mean()).backward()
    opt.step()
    return baseline


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(30)
    policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
    opt = torch.optim.Adam(policy.parameters(), lr=3e-3)
    for update in range(int(os.environ.get("UPDATES", "50"))):
        share(policy)
        trajectories = collect(policy, rank, world, horizon=64)
        if rank == 0:
            baseline = improve(policy, opt, trajectories)
            print(f"update {update}: {baseline:.3f}")
    dist.barrier()
    if rank == 0:
        torch.save(policy.state_dict(), "policy.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
