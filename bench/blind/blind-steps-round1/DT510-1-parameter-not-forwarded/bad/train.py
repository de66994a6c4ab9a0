import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from snapshot import load_snapshot, save_snapshot

SNAPSHOT = Path(os.environ.get("SNAPSHOT", "snapshot.pt"))


def main(epochs: int = 10):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl", device_id=torch.device("cuda", local))
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(32, 4).cuda(local), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    g = torch.Generator().manual_seed(2)
    data = TensorDataset(torch.randn(4096, 32, generator=g), torch.randn(4096, 4, generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    start = 0
    if SNAPSHOT.exists():
        start = load_snapshot(SNAPSHOT, model, optimizer, map_location=f"cuda:{local}")
    for epoch in range(start, epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x.cuda(local)), y.cuda(local)).backward()
            optimizer.step()
        save_snapshot(SNAPSHOT, model, optimizer, epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
