from types import SimpleNamespace

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import plugins


def agree_on_norm(state):
    total = torch.stack([p.grad.norm() for p in state.model.parameters()]).norm()
    dist.all_reduce(total, op=dist.ReduceOp.MAX)
    return total.item()


def main(names=("heartbeat", "decay"), steps=400):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 4))
    state = SimpleNamespace(
        rank=dist.get_rank(), model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1), beats=0, norm=0.0
    )
    active = plugins.build(list(names))
    noise = torch.Generator().manual_seed(state.rank)
    for _ in range(steps):
        for plugin in active:
            plugin.before_step(state)
        state.optimizer.zero_grad()
        model(torch.randn(8, 4, generator=noise)).square().mean().backward()
        state.optimizer.step()
        for plugin in active:
            plugin.after_step(state)
        if state.beats and state.beats % 100 == 0:
            state.norm = agree_on_norm(state)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
