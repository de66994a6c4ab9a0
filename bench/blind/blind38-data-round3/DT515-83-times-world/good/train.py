"""Keyword spotting with warm-up and linear decay, as a LambdaLR that steps with every batch."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def warm_then_down(optimizer, warm, total):
    def factor(step):
        if step < warm:
            return step / max(1, warm)
        return max(0.0, (total - step) / max(1, total - warm))

    return LambdaLR(optimizer, factor)


def sounds(rows=6000):
    g = torch.Generator().manual_seed(1)
    x = torch.randn(rows, 1, 800, generator=g)
    return TensorDataset(x, x.abs().mean(dim=(1, 2)).mul(40).long() % 12)


def spotter():
    return nn.Sequential(nn.Conv1d(1, 32, 40, 8), nn.ReLU(), nn.Conv1d(32, 64, 5, 4), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(64, 12))


def main(epochs=10, batch_size=60):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    rows = sounds()
    sampler = DistributedSampler(rows, shuffle=True, drop_last=True)
    loader = DataLoader(rows, batch_size, sampler=sampler, drop_last=True)
    model = DDP(spotter().to(device), device_ids=[local] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    total = epochs * len(loader)
    schedule = warm_then_down(optimizer, warm=total // 20, total=total)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
        if rank == 0:
            print(epoch, schedule.get_last_lr(), flush=True)
    if rank == 0:
        torch.save(model.module.state_dict(), "spotter.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
