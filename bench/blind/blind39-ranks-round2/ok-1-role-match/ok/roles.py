import os
from enum import Enum, auto

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Role(Enum):
    WRITER = auto()
    WORKER = auto()


def exchange_plan(role, device, size=6):
    match role:
        case Role.WRITER:
            plan = torch.linspace(1.0, 0.1, size, device=device)
            dist.broadcast(plan, src=0)
            print("plan:", plan.tolist())
            dist.barrier()
        case Role.WORKER:
            plan = torch.empty(size, device=device)
            dist.broadcast(plan, src=0)
            dist.barrier()
    return plan.tolist()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    role = Role.WRITER if dist.get_rank() == 0 else Role.WORKER
    plan = exchange_plan(role, device)
    torch.manual_seed(0)
    model = DDP(nn.Linear(6, 6).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=plan[0])
    data = TensorDataset(torch.randn(360, 6, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=30, sampler=sampler, drop_last=True)
    for epoch, rate in enumerate(plan):
        sampler.set_epoch(epoch)
        for group in optimizer.param_groups:
            group["lr"] = 0.01 * rate
        for (x,) in loader:
            x = x.to(device)
            optimizer.zero_grad()
            (model(x) - x).square().mean().backward()
            optimizer.step()
    if role is Role.WRITER:
        torch.save(model.module.state_dict(), "roles.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
