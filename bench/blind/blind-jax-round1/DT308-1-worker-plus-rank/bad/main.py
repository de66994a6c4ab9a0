import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from loader import make_loader

OPTS = {"seed": 1000, "workers": 2, "batch": 16, "epochs": 2, "lr": 0.01}


def train_one_epoch(model, loader, opt):
    for x, y in loader:
        opt.zero_grad(set_to_none=True)
        loss = (model(x).squeeze(1) - y.float()).pow(2).mean()
        loss.backward()
        opt.step()


def main():
    dist.init_process_group(backend="gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(OPTS["seed"])
    model = DDP(torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1)))
    opt = torch.optim.Adam(model.parameters(), lr=OPTS["lr"])
    loader = make_loader(OPTS, rank, world)
    for epoch in range(OPTS["epochs"]):
        loader.sampler.set_epoch(epoch)
        train_one_epoch(model, loader, opt)
    if rank == 0:
        torch.save(model.module.state_dict(), "points.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
