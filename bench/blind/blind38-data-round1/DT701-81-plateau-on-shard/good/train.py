"""Forecasting model; the learning rate halves when the validation error stops falling."""
import math
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, DistributedSampler, Subset, TensorDataset


def series(rows=6000, length=96, seed=12):
    g = torch.Generator().manual_seed(seed)
    phase = torch.rand(rows, 1, generator=g) * 2 * math.pi
    t = torch.arange(length + 8).float()
    wave = torch.sin(0.2 * t + phase) + 0.1 * torch.randn(rows, length + 8, generator=g)
    return TensorDataset(wave[:, :length], wave[:, length:])


class Forecaster(nn.Module):
    def __init__(self, length=96, horizon=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(length, 128), nn.ReLU(), nn.Linear(128, horizon))

    def forward(self, x):
        return self.net(x)


class Evaluator:
    def __init__(self, loader, device):
        self.loader = loader
        self.device = device

    @torch.no_grad()
    def __call__(self, model):
        model.eval()
        squared = torch.zeros((), dtype=torch.float64, device=self.device)
        count = torch.zeros((), dtype=torch.float64, device=self.device)
        for x, y in self.loader:
            difference = model(x.to(self.device)) - y.to(self.device)
            squared += difference.double().pow(2).sum()
            count += difference.numel()
        dist.all_reduce(squared)
        dist.all_reduce(count)
        return math.sqrt((squared / count).item())


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device(f"cuda:{local}") if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(2)

    rows = series()
    train_rows, val_rows = Subset(rows, range(5000)), Subset(rows, range(5000, 6000))
    sampler = DistributedSampler(train_rows, drop_last=True)
    loader = DataLoader(train_rows, batch_size=50, sampler=sampler, drop_last=True)
    evaluate = Evaluator(DataLoader(val_rows, 100, sampler=DistributedSampler(val_rows, shuffle=False)), device)

    net = Forecaster().to(device)
    model = DDP(net, device_ids=[local] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    plateau = ReduceLROnPlateau(optimizer, factor=0.5, patience=1)

    for epoch in range(12):
        sampler.set_epoch(epoch)
        model.train()
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
        plateau.step(evaluate(net))
        if dist.get_rank() == 0:
            print(f"{epoch}: lr {optimizer.param_groups[0]['lr']:.1e}", flush=True)
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "forecaster.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
