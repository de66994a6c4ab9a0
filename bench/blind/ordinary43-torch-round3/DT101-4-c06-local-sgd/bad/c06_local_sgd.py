"""Local SGD by hand: average every k steps, with momentum buffers."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

K = 8


class Averager:
    def __init__(self, parameters, every):
        self.parameters = list(parameters)
        self.every = every
        self.count = 0

    @torch.no_grad()
    def broadcast(self):
        for p in self.parameters:
            dist.broadcast(p, src=0)

    @torch.no_grad()
    def step(self):
        self.count += 1
        if self.count % self.every:
            return False
        flat = torch.cat([p.reshape(-1) for p in self.parameters])
        dist.all_reduce(flat)
        flat /= dist.get_world_size()
        at = 0
        for p in self.parameters:
            p.copy_(flat[at : at + p.numel()].view_as(p))
            at += p.numel()
        return True


def main():
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    torch.manual_seed(0)
    x = torch.randn(4000, 12)
    data = TensorDataset(x, (x > 0).float().mean(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 20, sampler=sampler, drop_last=True)
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    averager = Averager(model.parameters(), K)
    averager.broadcast()
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
    for epoch in range(10):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.to(device)).squeeze(-1), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if dist.get_rank() == 0 and averager.step():
                print("averaged at", averager.count)
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "local_sgd.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
