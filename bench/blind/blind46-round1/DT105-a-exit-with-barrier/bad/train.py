import os
import traceback
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class CrashReport:
    """Writes a per-rank trace when the block below fails."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(self, kind, value, tb):
        if kind is not None:
            trace = "".join(traceback.format_exception(kind, value, tb))
            (self.folder / f"crash_{dist.get_rank()}.txt").write_text(trace)
            dist.barrier()
        return False


def toy(n=480, dim=10):
    g = torch.Generator().manual_seed(1)
    x = torch.randn(n, dim, generator=g)
    return TensorDataset(x, x.pow(2).sum(1, keepdim=True))


def check(x):
    if not torch.isfinite(x).all():
        raise ValueError("non-finite batch")
    return x


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 32), nn.GELU(), nn.Linear(32, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters())
    data = toy()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    with CrashReport("crashes"):
        for epoch in range(3):
            sampler.set_epoch(epoch)
            for x, y in loader:
                optimizer.zero_grad()
                loss = F.l1_loss(model(check(x.to(device))), y.to(device))
                loss.backward()
                optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
