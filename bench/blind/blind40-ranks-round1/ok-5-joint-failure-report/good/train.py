import os
import sys

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

from shards import equal_length, read_together


def train(root, device):
    rank, world = dist.get_rank(), dist.get_world_size()
    x, y = equal_length(*read_together(root, rank, world), device)
    data = TensorDataset(x, y)
    order = RandomSampler(data, generator=torch.Generator().manual_seed(70 + rank))
    loader = DataLoader(data, batch_size=16, sampler=order, drop_last=True)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(x.shape[1], 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
    opt = torch.optim.Adam(model.parameters())
    for _ in range(3):
        for xb, yb in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(xb.to(device)), yb.to(device)).backward()
            opt.step()
    if rank == 0:
        torch.save(net.state_dict(), os.path.join(root, "net.pt"))


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    try:
        train(sys.argv[1], torch.device("cuda", local) if cuda else torch.device("cpu"))
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
