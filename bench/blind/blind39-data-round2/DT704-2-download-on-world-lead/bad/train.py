import os
import urllib.request
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

URL = "https://data.example.org/eeg/windows.pt"
CACHE = Path("/tmp/eeg-cache")


def fetch(rank, local_rank):
    target = CACHE / "windows.pt"
    if rank == 0:
        CACHE.mkdir(parents=True, exist_ok=True)
        urllib.request.urlretrieve(URL, target)
    dist.barrier()
    return target


def main(epochs=6):
    rank, local_rank = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    blob = torch.load(fetch(rank, local_rank), map_location="cpu", weights_only=True)
    data = TensorDataset(blob["windows"].float(), blob["stage"].long())
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True, num_workers=2, pin_memory=True)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv1d(4, 16, 9), nn.ReLU(), nn.AdaptiveAvgPool1d(8), nn.Flatten(), nn.Linear(128, 5))
    model = DDP(net.to(device), device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
        if rank == 0:
            torch.save(net.state_dict(), f"/shared/eeg/sleep_{epoch}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
