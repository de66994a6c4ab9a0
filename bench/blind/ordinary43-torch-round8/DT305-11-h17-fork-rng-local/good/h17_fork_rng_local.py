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


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 1)

    def forward(self, x):
        return self.inner(x + 0.1 * torch.randn_like(x))


def main():
    rank, world, local = start()
    torch.manual_seed(0)
    net = Noisy().cuda()
    for p in net.parameters():
        dist.broadcast(p.data, src=0)
    torch.manual_seed(world + rank)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    data = toy()
    sampler = DistributedSampler(data, seed=0)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in DataLoader(data, 16, sampler=sampler):
            loss = nn.functional.mse_loss(net(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            grads = [p.grad for p in net.parameters() if p.grad is not None]
            flat = torch._utils._flatten_dense_tensors(grads)
            dist.all_reduce(flat, op=dist.ReduceOp.AVG)
            for g, new in zip(grads, torch._utils._unflatten_dense_tensors(flat, grads)):
                g.copy_(new)
            optimizer.step()
        with torch.random.fork_rng(devices=[local]):
            torch.manual_seed(99)
            probe = net(torch.randn(64, 8, device="cuda")).mean()
        if rank == 0:
            print(epoch, probe.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
