"""Running observation normaliser in numpy, synced over ranks by gathering moments; evaluation on rank 0 env only."""
import gymnasium as gym
import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class RunningNorm:
    def __init__(self, shape):
        self.count = np.zeros(1, np.float64)
        self.sum = np.zeros(shape, np.float64)
        self.square = np.zeros(shape, np.float64)
        self.fresh = [np.zeros_like(self.count), np.zeros_like(self.sum), np.zeros_like(self.square)]

    def observe(self, x):
        self.fresh[0] += 1
        self.fresh[1] += x
        self.fresh[2] += x**2

    def synchronise(self):
        packed = torch.from_numpy(np.concatenate([f.ravel() for f in self.fresh]))
        dist.all_reduce(packed)
        n = self.sum.size
        packed = packed.numpy()
        self.count += packed[:1]
        self.sum += packed[1 : 1 + n].reshape(self.sum.shape)
        self.square += packed[1 + n :].reshape(self.sum.shape)
        for f in self.fresh:
            f.fill(0)

    def __call__(self, x):
        mean = self.sum / np.maximum(self.count, 1)
        std = np.sqrt(np.maximum(self.square / np.maximum(self.count, 1) - mean**2, 1e-2))
        return ((x - mean) / std).astype(np.float32)


def rollout(env, policy, norm, steps, explore=True):
    obs, rewards, actions = np.zeros((steps, 3), np.float32), np.zeros(steps, np.float32), np.zeros((steps, 1), np.float32)
    o, _ = env.reset()
    for t in range(steps):
        if explore:
            norm.observe(o)
        obs[t] = norm(o)
        with torch.no_grad():
            mean = policy(torch.from_numpy(obs[t]))
        actions[t] = mean + 0.3 * torch.randn_like(mean) if explore else mean
        o, rewards[t], terminated, truncated, _ = env.step(actions[t])
        if terminated or truncated:
            o, _ = env.reset()
    return torch.from_numpy(obs), torch.from_numpy(actions), torch.from_numpy(rewards)


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    policy = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 1))
    model = DDP(policy)
    torch.manual_seed(1000 + rank)
    env = gym.make("Pendulum-v1")
    env.reset(seed=rank)
    optimizer = torch.optim.Adam(model.parameters(), 3e-4)
    norm = RunningNorm((3,))
    for it in range(100):
        o, a, r = rollout(env, policy, norm, 400)
        advantage = (r - r.mean()) / (r.std() + 1e-8)
        loss = ((model(o) - a).square().sum(1) * advantage).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        norm.synchronise()
        if it % 10 == 0 and rank == 0:
            _, _, score = rollout(gym.make("Pendulum-v1"), policy, norm, 200, explore=False)
            print(it, score.sum().item())
    if rank == 0:
        torch.save(policy.state_dict(), "pendulum.pt")
        np.savez("norm.npz", sum=norm.sum, square=norm.square, count=norm.count)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
