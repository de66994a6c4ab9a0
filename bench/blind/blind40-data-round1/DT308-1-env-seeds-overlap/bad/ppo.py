import argparse
import os

import gymnasium as gym
import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributions import Categorical
from torch.nn.parallel import DistributedDataParallel as DDP


class Policy(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 64), nn.Tanh())
        self.pi = nn.Linear(64, actions)
        self.v = nn.Linear(64, 1)

    def forward(self, obs):
        h = self.body(obs)
        return self.pi(h), self.v(h).squeeze(-1)


class Pool:
    """A few environments of this rank, stepped one after the other."""

    def __init__(self, name, count, seed, rank):
        self.envs = [gym.make(name) for _ in range(count)]
        seeds = [seed + rank + i for i in range(count)]
        self.obs = np.stack([env.reset(seed=s)[0] for env, s in zip(self.envs, seeds)])

    def step(self, actions):
        rewards, ended = [], []
        for i, (env, action) in enumerate(zip(self.envs, actions)):
            obs, reward, done, cut, _ = env.step(int(action))
            if done or cut:
                obs, _ = env.reset()
            self.obs[i] = obs
            rewards.append(reward)
            ended.append(done or cut)
        return np.asarray(rewards, np.float32), np.asarray(ended)


def collect(policy, pool, horizon, device):
    rows = []
    for _ in range(horizon):
        obs = torch.as_tensor(pool.obs, dtype=torch.float32, device=device)
        with torch.no_grad():
            logits, value = policy(obs)
        action = Categorical(logits=logits).sample()
        reward, ended = pool.step(action.cpu().numpy())
        rows.append((obs, action, torch.from_numpy(reward).to(device), torch.from_numpy(ended).to(device), value))
    return [torch.stack(column) for column in zip(*rows)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default="CartPole-v1")
    parser.add_argument("--envs-per-rank", type=int, default=8)
    parser.add_argument("--updates", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    local = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(args.seed)
    policy = Policy(4, 2).to(device)
    model = DDP(policy, device_ids=[local] if cuda else None)
    torch.manual_seed(args.seed + 1 + rank)
    opt = torch.optim.Adam(model.parameters(), lr=2.5e-4)
    pool = Pool(args.env, args.envs_per_rank, args.seed, rank)
    for _ in range(args.updates):
        obs, action, reward, ended, value = collect(policy, pool, 64, device)
        returns = torch.zeros_like(reward)
        carry = value[-1]
        for t in reversed(range(len(reward))):
            carry = reward[t] + 0.99 * carry * (~ended[t])
            returns[t] = carry
        logits, predicted = model(obs.flatten(0, 1))
        log_prob = Categorical(logits=logits).log_prob(action.flatten())
        advantage = (returns - value).flatten()
        loss = -(log_prob * advantage).mean() + 0.5 * (returns.flatten() - predicted).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
