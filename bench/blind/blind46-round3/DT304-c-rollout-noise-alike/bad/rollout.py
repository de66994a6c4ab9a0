import os
from typing import Iterator, NamedTuple

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributions import Categorical
from torch.nn.parallel import DistributedDataParallel as DDP


class Transition(NamedTuple):
    obs: torch.Tensor
    action: torch.Tensor
    reward: torch.Tensor


class Corridor:
    """A toy environment with noisy moves."""

    def __init__(self, size=16, length=12):
        self.size, self.length = size, length
        self.pos = torch.zeros(size)

    def reset(self):
        self.pos = torch.zeros(self.size)
        return self.observe()

    def observe(self):
        return torch.stack([self.pos, self.length - self.pos], dim=1)

    def step(self, action):
        self.pos = (self.pos + 2.0 * action - 1.0 + 0.3 * torch.randn(self.size)).clamp(0, self.length)
        return self.observe(), -(self.length - self.pos) / self.length


def rollout(policy, env, horizon, device) -> Iterator[Transition]:
    obs = env.reset()
    for _ in range(horizon):
        with torch.no_grad():
            action = Categorical(logits=policy(obs.to(device))).sample().cpu()
        nxt, reward = env.step(action.float())
        yield Transition(obs, action, reward)
        obs = nxt


def main(updates=50, seed=1234):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(seed)
    policy = DDP(nn.Linear(2, 2).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    env = Corridor()
    for _ in range(updates):
        batch = Transition(*map(torch.stack, zip(*rollout(policy, env, 16, device))))
        logp = Categorical(logits=policy(batch.obs.to(device))).log_prob(batch.action.to(device))
        gain = (batch.reward - batch.reward.mean()).to(device)
        optimizer.zero_grad()
        (-(logp * gain).mean()).backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
