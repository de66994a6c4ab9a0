"""REINFORCE on a toy grid, gradients averaged over the ranks by hand."""
import argparse
import os
import random

import torch
import torch.distributed as dist
from torch import nn
from torch.distributions import Categorical


class Corridor:
    """Walk right to the end; every step costs a little."""

    def __init__(self, length=12):
        self.length = length

    def reset(self):
        self.at, self.steps = random.randrange(self.length // 2), 0
        return self.observe()

    def observe(self):
        return nn.functional.one_hot(torch.tensor(self.at), self.length).float()

    def step(self, action):
        self.at = max(0, min(self.length - 1, self.at + (1 if action else -1)))
        self.steps += 1
        done = self.at == self.length - 1 or self.steps >= 40
        return self.observe(), 1.0 if self.at == self.length - 1 else -0.02, done


def episode(env, policy):
    log_probs, rewards = [], []
    obs, done = env.reset(), False
    while not done:
        choice = Categorical(logits=policy(obs))
        action = choice.sample()
        log_probs.append(choice.log_prob(action))
        obs, reward, done = env.step(action.item())
        rewards.append(reward)
    returns, total = [], 0.0
    for reward in reversed(rewards):
        total = reward + 0.98 * total
        returns.append(total)
    returns = torch.tensor(returns[::-1])
    return -(torch.stack(log_probs) * (returns - returns.mean())).sum(), sum(rewards)


def average_gradients(module):
    for p in module.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--episodes", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(args.seed)
    policy = nn.Sequential(nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, 2))
    random.seed(args.seed + rank)
    torch.manual_seed(args.seed + rank)
    optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
    env = Corridor()
    for iteration in range(args.iterations):
        losses, rewards = zip(*(episode(env, policy) for _ in range(args.episodes)))
        optimizer.zero_grad()
        (torch.stack(losses).mean()).backward()
        average_gradients(policy)
        optimizer.step()
        mean = torch.tensor(sum(rewards) / len(rewards))
        dist.all_reduce(mean)
        if rank == 0 and iteration % 10 == 0:
            print(iteration, round(mean.item() / dist.get_world_size(), 3))
    if rank == 0:
        torch.save(policy.state_dict(), os.environ.get("OUT", "policy.pt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
