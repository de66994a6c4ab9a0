import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from timers import StepTimer


def main():
    gpu = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device(f"cuda:{local_rank}" if gpu else "cpu")
    if gpu:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if gpu else "gloo")
    torch.manual_seed(3)
    model = DDP(nn.Sequential(nn.Linear(30, 30), nn.ReLU(), nn.Linear(30, 1)).to(device))
    opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(600, 30, generator=gen), torch.randn(600, 1, generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        timer = StepTimer(device)
        for x, y in loader:
            with timer.span("data"):
                x, y = x.to(device), y.to(device)
            with timer.span("forward"):
                loss = nn.functional.mse_loss(model(x), y)
            with timer.span("backward"):
                opt.zero_grad()
                loss.backward()
                opt.step()
        spans = timer.summary()
        if dist.get_rank() == 0:
            print(epoch, {name: round(value, 3) for name, value in spans.items()})
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
