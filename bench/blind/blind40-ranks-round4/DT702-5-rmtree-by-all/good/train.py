import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from workspace import Workspace


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--out", default="work")
    p.add_argument("--fresh", action="store_true")
    args = p.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    work = Workspace(args.out, args.fresh)
    torch.manual_seed(0)
    model = DDP(nn.Linear(6, 6).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters())
    x = torch.randn(480, 6, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, x.sort(1).values)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(xb.to(device)), yb.to(device)).backward()
            opt.step()
        torch.save(opt.state_dict(), work.path(f"opt-{epoch}-{rank}.pt"))
    if rank == 0:
        torch.save(model.module.state_dict(), work.path("model.pt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
