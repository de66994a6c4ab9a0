import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from tracking import tracked


def targets(n=8192):
    gen = torch.Generator().manual_seed(46)
    x = torch.randn(n, 28, generator=gen)
    return TensorDataset(x, torch.sin(x).sum(dim=1, keepdim=True))


def run_epoch(model, loader, opt, device):
    total = torch.zeros((), device=device)
    for x, y in loader:
        opt.zero_grad(set_to_none=True)
        loss = F.mse_loss(model(x.to(device)), y.to(device))
        loss.backward()
        opt.step()
        total += loss.detach()
    dist.all_reduce(total, op=dist.ReduceOp.AVG)
    return total.item() / len(loader)


def main():
    config = {"lr": 1e-3, "epochs": 10, "batch_size": 64, "width": 256}
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, device = dist.get_rank(), torch.device("cuda", local_rank)
    torch.manual_seed(0)
    width = config["width"]
    model = DDP(nn.Sequential(nn.Linear(28, width), nn.SiLU(), nn.Linear(width, 1)).to(device), device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=config["lr"])
    data = targets()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=config["batch_size"], sampler=sampler, drop_last=True)
    with tracked("sines", config) as run:
        for epoch in range(config["epochs"]):
            sampler.set_epoch(epoch)
            mean = run_epoch(model, loader, opt, device)
            if rank == 0:
                run.log({"train/mse": mean, "epoch": epoch})
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
