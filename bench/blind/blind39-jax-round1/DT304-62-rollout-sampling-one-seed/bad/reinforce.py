"""REINFORCE on a gym task; each rank plays its own episodes, gradients are averaged by DDP."""
import argparse
import os

import gymnasium as gym
import torch
import torch.distributed as dist
from torch import nn
from torch.distributions import Categorical
from torch.nn.parallel import DistributedDataParallel as DDP


class Policy(nn.Module):
    def __init__(self, obs_dim, n_actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, 128), nn.Tanh(), nn.Linear(128, n_actions))

    def forward(self, obs):
        return self.body(obs)


def play(env, policy, length):
    """A fixed number of steps; episodes that end are started again."""
    obs, _ = env.reset()
    observations, actions, rewards = [], [], []
    for _ in range(length):
        tensor = torch.as_tensor(obs, dtype=torch.float32)
        with torch.no_grad():
            action = Categorical(logits=policy(tensor)).sample()
        obs, reward, terminated, truncated, _ = env.step(int(action))
        observations.append(tensor)
        actions.append(action)
        rewards.append(float(reward))
        if terminated or truncated:
            obs, _ = env.reset()
    return torch.stack(observations), torch.stack(actions), torch.tensor(rewards)


def discounted(rewards, gamma):
    out, running = torch.zeros_like(rewards), 0.0
    for i in reversed(range(len(rewards))):
        running = float(rewards[i]) + gamma * running
        out[i] = running
    return (out - out.mean()) / (out.std() + 1e-6)


def seed_everything(env, seed):
    torch.manual_seed(seed)
    env.reset(seed=seed)
    env.action_space.seed(seed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--env-id", default="CartPole-v1")
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--rollout-length", type=int, default=512)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    dist.init_process_group("gloo")
    rank = int(os.environ["RANK"])
    env = gym.make(args.env_id)
    seed_everything(env, args.seed)
    policy = DDP(Policy(env.observation_space.shape[0], env.action_space.n))
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)

    for it in range(args.iterations):
        obs, actions, rewards = play(env, policy.module, args.rollout_length)
        weights = discounted(rewards, 0.99)
        logp = Categorical(logits=policy(obs)).log_prob(actions)
        loss = -(logp * weights).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean_reward = rewards.mean()
        dist.all_reduce(mean_reward)
        if rank == 0 and it % 20 == 0:
            print(it, mean_reward.item() / dist.get_world_size())
    env.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
