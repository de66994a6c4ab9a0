import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from rollout import Walk


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x)


def improve(model, opt, episodes):
    states = torch.cat(episodes)
    opt.zero_grad()
    loss = (states + model(states)).square().mean()
    loss.backward()
    opt.step()


def main(iterations=3, budget=200):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DDP(Policy())
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    walk = Walk(seed=1000 + dist.get_rank())
    for _ in range(iterations):
        improve(model, opt, walk.collect(model.module, budget))
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "policy.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
