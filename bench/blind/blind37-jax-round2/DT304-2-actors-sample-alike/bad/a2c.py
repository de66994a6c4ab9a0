import argparse
import random

import gymnasium as gym
import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from policy import ActorCritic


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def collect(envs, model, obs, steps, gamma):
    logps, values, rewards, entropies = [], [], [], []
    for _ in range(steps):
        pi, value = model(torch.as_tensor(obs, dtype=torch.float32))
        action = pi.sample()
        obs, reward, terminated, truncated, _ = envs.step(action.numpy())
        logps.append(pi.log_prob(action))
        entropies.append(pi.entropy())
        values.append(value)
        rewards.append(torch.as_tensor(reward, dtype=torch.float32))
    returns, running = [], values[-1].detach()
    for reward in reversed(rewards):
        running = reward + gamma * running
        returns.insert(0, running)
    advantage = torch.stack(returns) - torch.stack(values)
    policy_loss = -(torch.stack(logps) * advantage.detach()).mean()
    return obs, policy_loss + 0.5 * advantage.pow(2).mean() - 0.01 * torch.stack(entropies).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default="CartPole-v1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--updates", type=int, default=1000)
    parser.add_argument("--envs", type=int, default=16)
    args = parser.parse_args()

    dist.init_process_group("gloo")
    seed = args.seed
    seed_all(seed)
    envs = gym.make_vec(args.env, num_envs=args.envs)
    obs, _ = envs.reset(seed=seed)
    model = DDP(ActorCritic(envs.single_observation_space.shape[0], envs.single_action_space.n))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=7e-4)
    for _ in range(args.updates):
        obs, loss = collect(envs, model, obs, 8, 0.99)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "a2c.pt")
    envs.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
