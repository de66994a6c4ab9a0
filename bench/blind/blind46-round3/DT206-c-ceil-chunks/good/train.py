import math
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Subset, TensorDataset


def share(dataset, rank, world):
    each = len(dataset) // world
    return Subset(dataset, range(rank * each, (rank + 1) * each))


def flat_all_reduce(params, world):
    grads = [p.grad for p in params if p.grad is not None]
    flat = torch.nn.utils.parameters_to_vector(grads)
    dist.all_reduce(flat)
    torch.nn.utils.vector_to_parameters(flat / world, grads)


def main(epochs=3):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    x = torch.randn(1001, 7, generator=torch.Generator().manual_seed(0))
    mine = share(TensorDataset(x, x.sum(1, keepdim=True)), rank, world)
    loader = DataLoader(mine, batch_size=10, shuffle=True)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(7, 20), nn.Tanh(), nn.Linear(20, 1)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for _ in range(epochs):
        for bx, by in loader:
            optimizer.zero_grad()
            F.mse_loss(net(bx.to(device)), by.to(device)).backward()
            flat_all_reduce(list(net.parameters()), world)
            optimizer.step()
    if rank == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
