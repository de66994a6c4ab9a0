import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from prefetch import DevicePrefetcher

EPOCHS = 20


def dataset():
    blob = torch.load("/data/features.pt", map_location="cpu")
    return TensorDataset(blob["x"], blob["y"])


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device(f"cuda:{local_rank}")
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    data = dataset()
    sampler = DistributedSampler(data, shuffle=True, seed=5, drop_last=True)
    loader = DataLoader(data, batch_size=512, sampler=sampler, num_workers=4, pin_memory=True, drop_last=True)
    feed = DevicePrefetcher(loader, device)
    net = nn.Sequential(nn.Linear(768, 1024), nn.GELU(), nn.Dropout(0.1), nn.Linear(1024, 10)).to(device)
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-3, total_steps=EPOCHS * len(feed))
    for epoch in range(EPOCHS):
        feed.set_epoch(epoch)
        for x, y in feed:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "head.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
