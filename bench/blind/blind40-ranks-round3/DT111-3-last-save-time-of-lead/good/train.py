import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from saver import PeriodicSaver


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    root = os.environ.get("OUT", "out")
    os.makedirs(root, exist_ok=True)
    torch.manual_seed(0)
    model = DDP(nn.Linear(30, 3).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters())
    saver = PeriodicSaver(root, period=512, rank=rank)
    x = torch.randn(960, 30, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :3].argmin(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    samples = 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(xb.to(device)), yb.to(device)).backward()
            opt.step()
            samples += len(xb) * world
            saver.maybe(samples, model, opt)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
