import logging
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from tqdm import tqdm

from snapshots import Snapshots


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    logging.basicConfig(level=logging.INFO if rank == 0 else logging.ERROR)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 25), nn.Sigmoid(), nn.Linear(25, 5)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.rand(500, 5, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, x.sort(1).values)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
    snapshots = Snapshots(os.environ.get("SNAPSHOTS", "snapshots"))
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for xb, yb in tqdm(loader, disable=rank != 0, leave=False):
            opt.zero_grad()
            nn.functional.mse_loss(model(xb.to(device)), yb.to(device)).backward()
            opt.step()
        snapshots.take(f"epoch{epoch}.pt", {"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch})
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
