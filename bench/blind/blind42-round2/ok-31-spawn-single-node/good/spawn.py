"""Single-node training started with mp.spawn."""
import os
import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def worker(rank, world, port, epochs):
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", str(port)
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=world)
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    model = DDP(nn.Linear(64, 10).to(rank), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(rank)), y.to(rank))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "linear.pt")
    dist.barrier()
    dist.destroy_process_group()


def main():
    world = torch.cuda.device_count()
    mp.spawn(worker, args=(world, free_port(), 10), nprocs=world)


if __name__ == "__main__":
    main()
