"""Distributed PPO-like policy gradient; each rank has its own vector of environments."""
import argparse
import os
import random

import gymnasium as gym
import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Actor(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 64), nn.Tanh(), nn.Linear(64, actions))

    def forward(self, obs):
        return torch.distributions.Categorical(logits=self.net(obs))


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--envs", type=int, default=8)
    ap.add_argument("--updates", type=int, default=500)
    args = ap.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    seed_everything(args.seed)
    envs = gym.make_vec("CartPole-v1", num_envs=args.envs)
    actor = DDP(Actor(4, 2))
    optimizer = torch.optim.Adam(actor.parameters(), 3e-4)
    obs, _ = envs.reset(seed=args.seed)
    for update in range(args.updates):
        logps, rewards = [], []
        for _ in range(64):
            policy = actor(torch.as_tensor(obs, dtype=torch.float32))
            action = policy.sample()
            logps.append(policy.log_prob(action))
            obs, reward, *_ = envs.step(action.numpy())
            rewards.append(torch.as_tensor(reward, dtype=torch.float32))
        returns = torch.stack(rewards).flip(0).cumsum(0).flip(0)
        loss = -(torch.stack(logps) * (returns - returns.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if rank == 0:
        torch.save(actor.module.state_dict(), os.environ.get("OUT", "actor.pt"))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
