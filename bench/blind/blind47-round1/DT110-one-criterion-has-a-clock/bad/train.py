import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from criteria import Budget, LossBelow, MaxSteps, Snapshot, stop


def reduced(loss: torch.Tensor) -> float:
    value = loss.detach().clone()
    dist.all_reduce(value)
    return value.item() / dist.get_world_size()


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(12, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    noise = torch.Generator().manual_seed(40 + dist.get_rank())
    criteria = (MaxSteps(5000), LossBelow(1e-4), Budget(seconds=60))
    step = 0
    while True:
        x = torch.randn(32, 12, generator=noise)
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if stop(criteria, Snapshot(step, reduced(loss))):
            break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
