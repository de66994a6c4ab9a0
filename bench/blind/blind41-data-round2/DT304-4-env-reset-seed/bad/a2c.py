import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.distributions import Categorical
from torch.nn.parallel import DistributedDataParallel as DDP


class ActorCritic(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs, 64), nn.Tanh())
        self.policy, self.value = nn.Linear(64, actions), nn.Linear(64, 1)

    def forward(self, obs):
        h = self.trunk(obs)
        return self.policy(h), self.value(h)[:, 0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--envs", type=int, default=8)
    parser.add_argument("--updates", type=int, default=1000)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    torch.manual_seed(args.seed)
    envs = gym.vector.SyncVectorEnv([lambda: gym.make("CartPole-v1") for _ in range(args.envs)])
    agent = DDP(ActorCritic(4, 2))
    optimizer = torch.optim.Adam(agent.parameters(), lr=7e-4)
    torch.manual_seed(args.seed)
    obs, _ = envs.reset(seed=args.seed)
    for _ in range(args.updates):
        logits, values = agent(torch.as_tensor(obs, dtype=torch.float32))
        choice = Categorical(logits=logits)
        action = choice.sample()
        obs, reward, terminated, truncated, _ = envs.step(action.numpy())
        with torch.no_grad():
            _, following = agent.module(torch.as_tensor(obs, dtype=torch.float32))
        alive = torch.as_tensor(~(terminated | truncated), dtype=torch.float32)
        target = torch.as_tensor(reward, dtype=torch.float32) + 0.99 * alive * following
        advantage = target - values
        loss = -(choice.log_prob(action) * advantage.detach()).mean() + 0.5 * advantage.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    envs.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
