"""PPO with vector envs, numpy storage of (T, N), torch.from_numpy batches, GAE, DDP over actor-critic, KL stop agreed."""
import os

import gymnasium as gym
import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.distributions import Categorical
from torch.nn.parallel import DistributedDataParallel as DDP


class ActorCritic(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, 64), nn.Tanh())
        self.pi, self.v = nn.Linear(64, n), nn.Linear(64, 1)

    def forward(self, obs, act=None):
        h = self.body(obs)
        d = Categorical(logits=self.pi(h))
        act = d.sample() if act is None else act
        return act, d.log_prob(act), d.entropy(), self.v(h).squeeze(-1)


class Storage:
    FIELDS = ("obs", "act", "logp", "rew", "done", "val")

    def __init__(self, t, n, d):
        self.obs = np.zeros((t, n, d), np.float32)
        self.act = np.zeros((t, n), np.int64)
        for name in self.FIELDS[2:]:
            setattr(self, name, np.zeros((t, n), np.float32))

    def put(self, t, **values):
        for name, value in values.items():
            getattr(self, name)[t] = value

    def advantages(self, last, gamma=0.99, lam=0.95):
        adv, acc = np.zeros_like(self.rew), 0.0
        for t in reversed(range(len(self.rew))):
            nxt = last if t == len(self.rew) - 1 else self.val[t + 1]
            delta = self.rew[t] + gamma * nxt * (1 - self.done[t]) - self.val[t]
            acc = adv[t] = delta + gamma * lam * (1 - self.done[t]) * acc
        return adv, adv + self.val


def main(updates=200, T=128, N=8):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(3)
    envs = gym.make_vec("CartPole-v1", num_envs=N)
    net = ActorCritic(4, 2)
    model = DDP(net)
    torch.manual_seed(3 + 100 * (rank + 1))
    np.random.seed(rank)
    optimizer = torch.optim.Adam(model.parameters(), 3e-4)
    store = Storage(T, N, 4)
    obs, _ = envs.reset(seed=[rank * N + i for i in range(N)])
    for update in range(updates):
        for t in range(T):
            with torch.no_grad():
                a, lp, _, v = net(torch.from_numpy(obs))
            nxt, r, term, trunc, _ = envs.step(a.numpy())
            store.put(t, obs=obs, act=a.numpy(), logp=lp.numpy(), rew=r, done=term | trunc, val=v.numpy())
            obs = nxt
        with torch.no_grad():
            last = net(torch.from_numpy(obs))[3].numpy()
        adv, ret = store.advantages(last)
        flat = [torch.from_numpy(a.reshape(T * N, *a.shape[2:])) for a in (store.obs, store.act, store.logp, adv, ret)]
        for epoch in range(4):
            order = np.random.permutation(T * N)
            for at in np.split(order, 4):
                o, a, lp, ad, rt = (f[at] for f in flat)
                _, new, ent, val = model(o, a)
                ratio = (new - lp).exp()
                ad = (ad - ad.mean()) / (ad.std() + 1e-8)
                loss = -torch.min(ratio * ad, ratio.clamp(0.8, 1.2) * ad).mean() + 0.5 * (val - rt).square().mean() - 0.01 * ent.mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optimizer.step()
            kl = (lp - new).mean().detach()
            dist.all_reduce(kl)
            if kl.item() / world > 0.02:
                break
        if update % 10 == 0:
            mean = torch.tensor(store.rew.sum() / max(1.0, store.done.sum()))
            dist.all_reduce(mean)
            if rank == 0:
                print(update, mean.item() / world)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
