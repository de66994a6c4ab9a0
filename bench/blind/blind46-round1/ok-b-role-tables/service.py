import os
from typing import Protocol

import torch
import torch.distributed as dist


class Handler(Protocol):
    def __call__(self, step: int, buffer: torch.Tensor) -> torch.Tensor: ...


def lead(step, buffer):
    plan = torch.arange(buffer.numel(), dtype=buffer.dtype, device=buffer.device) * (step + 1)
    dist.broadcast(plan, src=0)
    return plan


def follow(step, buffer):
    dist.broadcast(buffer, src=0)
    return buffer.clone()


HANDLERS: dict[bool, Handler] = {True: lead, False: follow}


def setup():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", local_rank) if cuda else torch.device("cpu")


def main(steps=5):
    device = setup()
    rank, world = dist.get_rank(), dist.get_world_size()
    handle = HANDLERS[rank == 0]
    seen = torch.zeros((), device=device)
    for step in range(steps):
        plan = handle(step, torch.empty(8, device=device))
        mine = plan[rank % plan.numel()]
        seen += mine
    dist.all_reduce(seen)
    if rank == 0:
        print("sum over", world, "ranks", seen.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
