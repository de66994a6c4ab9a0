import argparse
import random

import numpy as np
import torch
import torch.distributed as dist
from torch.distributions import Categorical

from cartpole import Pole


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def play(policy, env):
    logps, rewards = [], []
    obs, done = env.reset(), False
    while not done and len(rewards) < 50:
        chosen = Categorical(logits=policy(torch.from_numpy(obs)))
        action = chosen.sample()
        logps.append(chosen.log_prob(action))
        obs, reward, done = env.step(int(action))
        rewards.append(reward)
    return torch.stack(logps), sum(rewards)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--updates", type=int, default=6)
    parser.add_argument("--episodes", type=int, default=3)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    seed_all(args.seed)
    env = Pole(args.seed)
    net = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2))
    for p in net.parameters():
        dist.broadcast(p.data, src=0)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for update in range(args.updates):
        episodes = [play(net, env) for _ in range(args.episodes)]
        mean = sum(score for _, score in episodes) / args.episodes
        loss = sum(-logps.sum() * (score - mean) for logps, score in episodes) / args.episodes
        opt.zero_grad(set_to_none=True)
        loss.backward()
        for p in net.parameters():
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()
        opt.step()
        total = torch.tensor(mean)
        dist.all_reduce(total)
        if rank == 0:
            print(update, total.item() / dist.get_world_size())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
