import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel as DDP


def my_batches(rank, world, total=150, size=8):
    g = torch.Generator().manual_seed(4)
    x = torch.randn(total, 6, generator=g)
    mine = x[rank::world]
    yield from mine.split(size)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(6, 1).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(2):
        with Join([model]):
            for x in my_batches(rank, world):
                x = x.to(device)
                opt.zero_grad()
                nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
                opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "linear.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
