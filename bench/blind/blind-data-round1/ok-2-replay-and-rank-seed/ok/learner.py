import os
from collections import deque

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


class Replay:
    """Transitions this rank's environments produced."""

    def __init__(self, capacity, seed):
        self.items = deque(maxlen=capacity)
        self.rng = np.random.default_rng(seed)

    def add(self, *transition):
        self.items.append(transition)

    def sample(self, size):
        picks = self.rng.integers(0, len(self.items), size)
        columns = zip(*(self.items[i] for i in picks))
        return [torch.as_tensor(np.stack(column), dtype=torch.float32) for column in columns]


class Drift:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.state = self.rng.normal(size=3)

    def step(self, push):
        self.state = 0.9 * self.state + push + 0.1 * self.rng.normal(size=3)
        return self.state.copy(), -float(np.square(self.state).sum())


def main(steps=60, warmup=16, batch=8):
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    critic = DDP(nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1)).to(device))
    optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
    env, replay = Drift(seed=[7, rank]), Replay(1000, seed=[8, rank])
    push_rng = np.random.default_rng([9, rank])
    before = env.state.copy()
    for step in range(steps):
        after, reward = env.step(0.2 * push_rng.normal(size=3))
        replay.add(before, np.array([reward]), after)
        before = after
        if step < warmup:
            continue
        s, r, n = (t.to(device) for t in replay.sample(batch))
        with torch.no_grad():
            target = r + 0.95 * critic.module(n)
        loss = F.mse_loss(critic(s), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    mean = loss.detach().clone()
    dist.all_reduce(mean, op=dist.ReduceOp.SUM)
    if rank == 0:
        print("loss", mean.item() / dist.get_world_size())
        torch.save(critic.module.state_dict(), "critic.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
