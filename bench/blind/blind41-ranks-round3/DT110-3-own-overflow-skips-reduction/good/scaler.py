import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Scaler:
    def __init__(self, scale=2.0**14):
        self.scale, self.good = scale, 0

    def overflowed(self, params):
        bad = torch.stack([(~torch.isfinite(p.grad)).any() for p in params]).any()
        flag = bad.float()
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return bool(flag)

    def update(self, overflow):
        self.good = 0 if overflow else self.good + 1
        if overflow:
            self.scale /= 2
        elif self.good % 1000 == 0:
            self.scale *= 2


def step(params, opt, loss, scaler):
    opt.zero_grad()
    (loss * scaler.scale).backward()
    overflow = scaler.overflowed(params)
    if not overflow:
        for p in params:
            p.grad /= scaler.scale
            dist.all_reduce(p.grad, op=dist.ReduceOp.AVG)
        opt.step()
    scaler.update(overflow)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(40, 80), nn.ReLU(), nn.Linear(80, 5)).cuda()
    params = list(model.parameters())
    for p in params:
        dist.broadcast(p.data, src=0)
    opt = torch.optim.SGD(params, lr=0.01)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(2000, 40, generator=gen), torch.randint(0, 5, (2000,), generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    scaler = Scaler()
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            with torch.autocast("cuda", dtype=torch.float16):
                loss = F.cross_entropy(model(x.cuda()), y.cuda())
            step(params, opt, loss, scaler)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
