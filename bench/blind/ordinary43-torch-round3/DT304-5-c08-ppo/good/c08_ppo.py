"""PPO with gymnasium envs, manual gradient averaging (spinningup-like), normalised advantages over all ranks."""
import gymnasium as gym
import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.distributions import Categorical


def average_gradients(module):
    for p in module.parameters():
        if p.grad is None:
            p.grad = torch.zeros_like(p)
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()


def sync_params(module):
    for p in module.parameters():
        dist.broadcast(p.data, 0)


def global_mean_std(x):
    s = torch.tensor([x.sum(), len(x)], dtype=torch.float64)
    dist.all_reduce(s)
    mean = s[0] / s[1]
    q = ((x - mean) ** 2).sum().double()
    dist.all_reduce(q)
    return mean.float(), (q / s[1]).sqrt().float()


class Buffer:
    def __init__(self, obs_dim, size, gamma=0.99):
        self.obs = np.zeros((size, obs_dim), np.float32)
        self.act, self.rew, self.done = np.zeros(size, np.int64), np.zeros(size, np.float32), np.zeros(size, bool)
        self.gamma, self.ptr, self.size = gamma, 0, size

    def store(self, obs, act, rew, done):
        i = self.ptr
        self.obs[i], self.act[i], self.rew[i], self.done[i] = obs, act, rew, done
        self.ptr += 1

    def get(self):
        assert self.ptr == self.size
        self.ptr = 0
        ret, acc = np.zeros(self.size, np.float32), 0.0
        for i in reversed(range(self.size)):
            acc = self.rew[i] + self.gamma * acc * (not self.done[i])
            ret[i] = acc
        ret = torch.as_tensor(ret)
        mean, std = global_mean_std(ret)
        return torch.as_tensor(self.obs), torch.as_tensor(self.act), (ret - mean) / (std + 1e-8)


def main(steps_per_epoch=4000, epochs=50, seed=0):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    seed += 10_000 * rank
    torch.manual_seed(seed)
    np.random.seed(seed)
    env = gym.make("CartPole-v1")
    policy = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
    sync_params(policy)
    optimizer = torch.optim.Adam(policy.parameters(), 3e-4)
    local_steps = steps_per_epoch // world
    buffer = Buffer(4, local_steps)
    obs, _ = env.reset(seed=seed)
    for epoch in range(epochs):
        returns, total = [], 0.0
        for t in range(local_steps):
            with torch.no_grad():
                action = Categorical(logits=policy(torch.as_tensor(obs))).sample().item()
            nxt, reward, terminated, truncated, _ = env.step(action)
            total += reward
            done = terminated or truncated or t == local_steps - 1
            buffer.store(obs, action, reward, done)
            obs = nxt
            if done:
                returns.append(total)
                obs, _ = env.reset()
                total = 0.0
        o, a, adv = buffer.get()
        old = Categorical(logits=policy(o)).log_prob(a).detach()
        for _ in range(20):
            d = Categorical(logits=policy(o))
            ratio = (d.log_prob(a) - old).exp()
            kl = (old - d.log_prob(a)).mean().detach()
            dist.all_reduce(kl)
            if kl.item() / world > 0.015:
                break
            loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
            optimizer.zero_grad()
            loss.backward()
            average_gradients(policy)
            optimizer.step()
        score = torch.tensor([sum(returns), float(len(returns))])
        dist.all_reduce(score)
        if rank == 0:
            print(f"epoch {epoch}: return {(score[0] / score[1]).item():.1f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
