import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors


class Replica:
    def __init__(self, net, lr):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
        self.world = dist.get_world_size()
        for tensor in net.state_dict().values():
            dist.broadcast(tensor, src=0)

    def reduce(self):
        grads = [p.grad for p in self.net.parameters() if p.grad is not None]
        flat = _flatten_dense_tensors(grads)
        dist.all_reduce(flat)
        flat.div_(self.world)
        for grad, averaged in zip(grads, _unflatten_dense_tensors(flat, grads)):
            grad.copy_(averaged)

    def step(self, x, y):
        self.opt.zero_grad(set_to_none=True)
        loss = F.cross_entropy(self.net(x), y)
        loss.backward()
        self.reduce()
        self.opt.step()
        return loss.detach()


def block_of(total, rank, world):
    size = total // world
    return slice(rank * size, (rank + 1) * size)


def main(epochs=5, batch=32):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    gen = torch.Generator().manual_seed(29)
    x = torch.randn(4096, 18, generator=gen)
    y = (x[:, 0] > x[:, 1]).long()
    mine = block_of(len(x), rank, world)
    x, y = x[mine].to(device), y[mine].to(device)
    torch.manual_seed(0)
    replica = Replica(nn.Sequential(nn.Linear(18, 48), nn.ReLU(), nn.Linear(48, 2)).to(device), lr=0.05)
    order_gen = torch.Generator().manual_seed(1000 + rank)
    for epoch in range(epochs):
        order = torch.randperm(len(x), generator=order_gen)
        for start in range(0, len(x) - batch + 1, batch):
            rows = order[start : start + batch].to(device)
            loss = replica.step(x[rows], y[rows])
        mean = loss.clone()
        dist.all_reduce(mean)
        if rank == 0:
            print(f"epoch {epoch}: {mean.item() / world:.4f}")
            torch.save(replica.net.state_dict(), "replica.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
