import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from lifecycle import finish, start  # noqa: F401


def guard(x):
    if x.abs().max() > 50:
        raise ValueError("corrupt sample")
    return x


def main():
    device = start()
    torch.manual_seed(0)
    model = DDP(nn.Linear(10, 2).to(device), device_ids=[device.index] if device.type == "cuda" else None)
    opt = torch.optim.Adam(model.parameters())
    x = torch.randn(400, 10, generator=torch.Generator().manual_seed(6))
    data = TensorDataset(x, (x.mean(1) > 0).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(guard(xb).to(device)), yb.to(device)).backward()
            opt.step()
    torch.save(opt.state_dict(), f"opt-{dist.get_rank()}.pt")
    finish()


if __name__ == "__main__":
    main()
