import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from preempt import Preemption


def save(model, step):
    dist.barrier()
    if dist.get_rank() == 0:
        torch.save({"model": model.module.state_dict(), "step": step}, "preempted.pt")
    dist.barrier()


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    preemption = Preemption().install()
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    noise = torch.Generator().manual_seed(dist.get_rank())
    for step in range(100_000):
        optimizer.zero_grad()
        model(torch.randn(8, 4, generator=noise)).square().mean().backward()
        optimizer.step()
        if preemption.asked:
            save(model, step)
            break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
