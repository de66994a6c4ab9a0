import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Noisy(Dataset):
    """Clean rows at level 0, noisier ones later."""

    def __init__(self, n=960, dim=10):
        self.rows = torch.randn(n, dim, generator=torch.Generator().manual_seed(1))
        self.level = torch.zeros(1, dtype=torch.int64).share_memory_()

    def set_level(self, level):
        self.level.fill_(level)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        g = torch.Generator().manual_seed(i)
        return row + 0.1 * int(self.level) * torch.randn(row.shape, generator=g), row


def make_loader(data, sampler, workers):
    options = dict(persistent_workers=True, prefetch_factor=2) if workers else {}
    return DataLoader(data, batch_size=24, sampler=sampler, num_workers=workers, drop_last=True, **options)


def main(epochs=6):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 10)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = Noisy()
    sampler = DistributedSampler(data, drop_last=True)
    loader = make_loader(data, sampler, workers=int(os.environ.get("WORKERS", "2")))
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        data.set_level(epoch // 2)
        summed = torch.zeros((), device=device)
        for noisy, clean in loader:
            loss = nn.functional.mse_loss(model(noisy.to(device)), clean.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            summed += loss.detach()
        dist.all_reduce(summed)
        if dist.get_rank() == 0:
            print(f"{epoch}: {summed.item() / len(loader) / dist.get_world_size():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
