import os
from collections import deque

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Replay:
    def __init__(self, capacity, seed):
        self.rows = deque(maxlen=capacity)
        self.rng = np.random.default_rng(seed)

    def add(self, *row):
        self.rows.append(row)

    def sample(self, n):
        picked = self.rng.integers(0, len(self.rows), n)
        return [torch.as_tensor(np.stack(c), dtype=torch.float32) for c in zip(*(self.rows[i] for i in picked))]


class Walk:
    """Stay near the origin; two actions."""

    def __init__(self, rng):
        self.rng, self.x = rng, 0.0

    def step(self, action):
        before = self.x
        self.x = 0.9 * self.x + (0.2 if action else -0.2) + 0.1 * self.rng.normal()
        return np.array([before]), np.array([float(action)]), np.array([-abs(self.x)]), np.array([self.x])


def main(updates=500, seed=0):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(1, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
    model = DDP(net, device_ids=[local] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    rng = np.random.default_rng([seed, rank])
    world, replay = Walk(rng), Replay(10_000, [seed, rank, 1])
    for update in range(updates):
        for _ in range(8):
            with torch.no_grad():
                values = model.module(torch.tensor([[world.x]], dtype=torch.float32, device=device))
            explore = rng.random() < max(0.05, 1 - update / 200)
            replay.add(*world.step(int(rng.integers(2)) if explore else int(values.argmax())))
        state, action, reward, following = (t.to(device) for t in replay.sample(64))
        with torch.no_grad():
            target = reward + 0.95 * model.module(following).max(1, keepdim=True).values
        loss = F.smooth_l1_loss(model(state).gather(1, action.long()), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if rank == 0:
        torch.save(net.state_dict(), "dqn.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
