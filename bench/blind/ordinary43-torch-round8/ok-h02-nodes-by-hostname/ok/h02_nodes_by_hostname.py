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


def node_groups():
    """Every rank makes the groups of all nodes, in one order."""
    names = [None] * dist.get_world_size()
    dist.all_gather_object(names, os.uname().nodename)
    mine = None
    for host in sorted(set(names)):
        members = [r for r, name in enumerate(names) if name == host]
        group = dist.new_group(members)
        if dist.get_rank() in members:
            mine = group
    return mine


def main():
    rank, world, local = start()
    node = node_groups()
    torch.manual_seed(0)
    model = DDP(nn.Linear(8, 1).cuda(), device_ids=[local])
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
        memory = torch.tensor([torch.cuda.max_memory_allocated()], device="cuda")
        dist.all_reduce(memory, op=dist.ReduceOp.MAX, group=node)
        if local == 0:
            print(os.uname().nodename, memory.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
