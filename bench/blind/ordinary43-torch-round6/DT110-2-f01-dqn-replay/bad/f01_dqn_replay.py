"""Distributed DQN: replay in numpy ring buffers per rank, gradients by DDP, learning starts agreed, epsilon by step."""
import os
import random

import gymnasium as gym
import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Replay:
    def __init__(self, capacity, shape):
        self.capacity = capacity
        self.obs = np.empty((capacity, *shape), dtype=np.float32)
        self.next_obs = np.empty((capacity, *shape), dtype=np.float32)
        self.action = np.empty(capacity, dtype=np.int64)
        self.reward = np.empty(capacity, dtype=np.float32)
        self.done = np.empty(capacity, dtype=np.float32)
        self.index, self.full = 0, False

    def add(self, obs, action, reward, next_obs, done):
        i = self.index
        self.obs[i], self.action[i], self.reward[i], self.next_obs[i], self.done[i] = obs, action, reward, next_obs, done
        self.index = (i + 1) % self.capacity
        self.full |= self.index == 0

    def __len__(self):
        return self.capacity if self.full else self.index

    def sample(self, n, device):
        at = np.random.randint(0, len(self), n)
        return [torch.as_tensor(a[at], device=device) for a in (self.obs, self.action, self.reward, self.next_obs, self.done)]


def main(total=50_000, start=1_000, batch=64, every=4, target_every=500):
    dist.init_process_group("nccl")
    rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    seed = 1 + rank
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    env = gym.make("CartPole-v1")
    online = nn.Sequential(nn.Linear(4, 128), nn.ReLU(), nn.Linear(128, env.action_space.n)).to(device)
    q = DDP(online, device_ids=[local])
    target = nn.Sequential(nn.Linear(4, 128), nn.ReLU(), nn.Linear(128, env.action_space.n)).to(device)
    target.load_state_dict(online.state_dict())
    optimizer = torch.optim.Adam(q.parameters(), 1e-3)
    replay = Replay(10_000, env.observation_space.shape)
    obs, _ = env.reset(seed=seed)
    episode, returns = 0.0, []
    for step in range(total):
        epsilon = max(0.05, 1 - step / 10_000)
        if random.random() < epsilon:
            action = env.action_space.sample()
        else:
            with torch.no_grad():
                action = online(torch.as_tensor(obs, device=device)[None]).argmax(1).item()
        next_obs, reward, terminated, truncated, _ = env.step(action)
        replay.add(obs, action, reward, next_obs, float(terminated))
        episode += reward
        obs = next_obs
        if terminated or truncated:
            returns.append(episode)
            episode = 0.0
            obs, _ = env.reset()
        if len(returns) >= 10 and step % every == 0:
            o, a, r, n, d = replay.sample(batch, device)
            with torch.no_grad():
                y = r + 0.99 * target(n).max(1).values * (1 - d)
            loss = nn.functional.smooth_l1_loss(q(o).gather(1, a[:, None]).squeeze(1), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if step % target_every == 0:
            target.load_state_dict(online.state_dict())
        if step % 5_000 == 4_999:
            recent = torch.tensor([sum(returns[-20:]), float(len(returns[-20:]))], device=device)
            dist.all_reduce(recent)
            if rank == 0:
                print(step, (recent[0] / recent[1].clamp(min=1)).item())
    if rank == 0:
        torch.save(online.state_dict(), "dqn.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
