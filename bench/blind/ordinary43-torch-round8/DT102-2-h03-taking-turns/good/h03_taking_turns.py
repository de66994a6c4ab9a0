import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def toy(n=3200):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(n, 8, generator=g)
    return TensorDataset(x, x.sum(1, keepdim=True))


def start():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    return dist.get_rank(), dist.get_world_size(), local


def in_turn(fn):
    for r in range(dist.get_world_size()):
        if r == dist.get_rank():
            fn()
        dist.barrier()


def main():
    rank, world, local = start()
    torch.manual_seed(rank)
    model = DDP(nn.Linear(8, 1).cuda(), device_ids=[local])
    in_turn(lambda: print("rank", rank, torch.cuda.get_device_name(local)))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    data = toy()
    sampler = DistributedSampler(data)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in DataLoader(data, 16, sampler=sampler):
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        last = loss.item()

        def write():
            with open("losses.txt", "a") as f:
                f.write(f"{epoch} {rank} {last:.4f}\n")

        in_turn(write)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
