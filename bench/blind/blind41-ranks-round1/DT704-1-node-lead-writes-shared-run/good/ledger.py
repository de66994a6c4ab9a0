import json
import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

OUT = os.environ.get("RUN_DIR", "/shared/runs/current")


def save(model, epoch, rank, local_rank):
    if rank == 0:
        os.makedirs(OUT, exist_ok=True)
        torch.save(model.module.state_dict(), os.path.join(OUT, "latest.pt"))
        with open(os.path.join(OUT, "latest.json"), "w") as handle:
            json.dump({"epoch": epoch, "at": time.time()}, handle)


def main():
    rank, local_rank = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(25, 25), nn.ELU(), nn.Linear(25, 1)).to(device))
    opt = torch.optim.Adam(model.parameters())
    gen = torch.Generator().manual_seed(9)
    x = torch.randn(1000, 25, generator=gen)
    data = TensorDataset(x, x.abs().sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for features, target in loader:
            loss = F.mse_loss(model(features.to(device)), target.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
        save(model, epoch, rank, local_rank)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
