import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class LossScale:
    """Halves after an overflow, doubles after `window` good steps."""

    def __init__(self, start=2.0**14, window=500):
        self.value, self.window, self.good = start, window, 0

    def overflowed(self):
        self.value, self.good = max(1.0, self.value / 2), 0

    def passed(self):
        self.good += 1
        if self.good % self.window == 0:
            self.value *= 2


def finite(params):
    return all(bool(torch.isfinite(p.grad).all()) for p in params)


def average(params, scale):
    flat = torch.cat([p.grad.flatten() for p in params]).div_(scale * dist.get_world_size())
    dist.all_reduce(flat)
    offset = 0
    for p in params:
        p.grad.copy_(flat[offset : offset + p.numel()].view_as(p))
        offset += p.numel()


def agreed(flag, device):
    """True where it is so on every rank."""
    vote = torch.tensor(float(flag), device=device)
    dist.all_reduce(vote, op=dist.ReduceOp.MIN)
    return vote.item() == 1.0


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)).to(device)
    for p in model.parameters():
        dist.broadcast(p.data, src=0)
    params = list(model.parameters())
    opt = torch.optim.SGD(params, lr=0.02, momentum=0.9)
    gen = torch.Generator().manual_seed(1)
    x = torch.randn(12_800, 64, generator=gen)
    data = TensorDataset(x, x[:, :10].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    scale = LossScale()
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = F.cross_entropy(model(x.to(device)), y.to(device))
            (loss * scale.value).backward()
            if not agreed(finite(params), device):
                scale.overflowed()
                continue
            average(params, scale.value)
            opt.step()
            scale.passed()
        if dist.get_rank() == 0:
            print(epoch, "scale", scale.value)
            torch.save(model.state_dict(), "fp16.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
