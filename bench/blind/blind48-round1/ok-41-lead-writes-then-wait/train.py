import json
from pathlib import Path

import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class WindowDataset(Dataset):
    def __init__(self, n=256, dim=16, seed=17):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, dim, generator=g)
        self.y = self.x[:, :4].sum(dim=1, keepdim=True)

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def build_model(dim=16, hidden=32):
    return nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, 1))


def setup():
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    local_rank = int(os.environ["LOCAL_RANK"])
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
        device = torch.device("cuda", local_rank)
    else:
        device = torch.device("cpu")
    dist.init_process_group(backend)
    return dist.get_rank(), dist.get_world_size(), device


class Reporter:
    def __init__(self, folder, is_lead):
        self.folder, self.is_lead = Path(folder), is_lead
        self.rows = []
        self.folder.mkdir(parents=True, exist_ok=True)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        if self.is_lead:
            (self.folder / "rows.json").write_text(json.dumps(self.rows))
        return False

    def row(self, **values):
        if self.is_lead:
            self.rows.append(values)


def main():
    rank, world, device = setup()
    torch.manual_seed(0)
    model = build_model().to(device)
    model = DDP(model, device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    ds = WindowDataset()
    sampler = DistributedSampler(ds, drop_last=True)
    loader = DataLoader(ds, batch_size=16, sampler=sampler, drop_last=True)
    with Reporter("report", rank == 0) as report:
        for epoch in range(2):
            sampler.set_epoch(epoch)
            total = torch.zeros(1, device=device)
            for x, y in loader:
                x, y = x.to(device), y.to(device)
                optimizer.zero_grad(set_to_none=True)
                loss = F.mse_loss(model(x), y)
                loss.backward()
                optimizer.step()
                total += loss.detach()
            dist.all_reduce(total)
            report.row(epoch=epoch, loss=total.item() / world / len(loader))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
