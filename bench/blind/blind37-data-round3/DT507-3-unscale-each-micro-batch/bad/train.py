import os
from contextlib import nullcontext

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

WINDOW = 4


class HalfStepper:
    def __init__(self, model, optimizer, max_norm=1.0):
        self.model, self.optimizer, self.max_norm = model, optimizer, max_norm
        self.scaler = torch.amp.GradScaler("cuda")

    def micro(self, x, y, last):
        with nullcontext() if last else self.model.no_sync():
            with torch.autocast("cuda", dtype=torch.float16):
                loss = nn.functional.mse_loss(self.model(x), y) / WINDOW
            self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        if last:
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.optimizer.zero_grad(set_to_none=True)
        return loss.detach()


def series(n=8192, length=64):
    g = torch.Generator().manual_seed(15)
    x = torch.randn(n, length, generator=g).cumsum(1)
    return TensorDataset(x, x[:, -1:] - x[:, :1])


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1)).cuda(), device_ids=[local_rank])
    stepper = HalfStepper(model, torch.optim.AdamW(model.parameters(), lr=1e-3))
    data = series()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    whole = len(loader) // WINDOW * WINDOW
    for epoch in range(3):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device="cuda")
        for number, (x, y) in enumerate(loader):
            if number == whole:
                break
            total += stepper.micro(x.cuda(), y.cuda(), last=(number + 1) % WINDOW == 0)
        dist.all_reduce(total, op=dist.ReduceOp.AVG)
        if dist.get_rank() == 0:
            print(epoch, total.item() / whole * WINDOW)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
