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


def main():
    rank, world, local = start()
    trainers = dist.new_group(list(range(world // 2)))
    if rank < world // 2:
        train(rank, local, trainers, world // 2)
    else:
        serve(rank)
    dist.barrier()
    dist.destroy_process_group()


def train(rank, local, group, size):
    data = toy()
    sampler = DistributedSampler(data, num_replicas=size, rank=rank)
    model = DDP(nn.Linear(8, 1).cuda(), device_ids=[local], process_group=group)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in DataLoader(data, 16, sampler=sampler):
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        dist.barrier(group=group)
        if rank == 0:
            torch.save(model.module.state_dict(), "half.pt")


def serve(rank):
    for i in range(100):
        torch.randn(100, 100, device="cuda").svd()
    print("served", rank)


if __name__ == "__main__":
    main()
