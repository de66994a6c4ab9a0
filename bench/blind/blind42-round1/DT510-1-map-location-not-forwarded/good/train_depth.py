import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from checkpointing import load_snapshot, save_snapshot


class DepthNet(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.ReLU(), nn.Conv2d(width, width, 3, 2, 1), nn.ReLU())
        self.up = nn.Sequential(nn.ConvTranspose2d(width, width, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(width, 1, 4, 2, 1))

    def forward(self, x):
        return self.up(self.down(x))


def main(epochs=50, snapshot="depth.snapshot"):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = f"cuda:{local_rank}"
    net = DepthNet().to(device)
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-4)
    first = load_snapshot(snapshot, net, optimizer, map_location=device)
    blob = torch.load("depth_train.pt", map_location="cpu", mmap=True)
    data = TensorDataset(blob["rgb"], blob["depth"])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, num_workers=4, pin_memory=True, drop_last=True)
    for epoch in range(first, epochs):
        sampler.set_epoch(epoch)
        for rgb, depth in loader:
            rgb, depth = rgb.to(device, non_blocking=True), depth.to(device, non_blocking=True)
            loss = nn.functional.l1_loss(model(rgb), depth)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            save_snapshot(snapshot, net, optimizer, epoch)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
