import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

PROC = int(os.environ["SLURM_PROCID"])
LEAD = PROC == 0


def connect():
    dist.init_process_group(
        "nccl",
        init_method=f"tcp://{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}",
        rank=PROC,
        world_size=int(os.environ["SLURM_NTASKS"]),
    )


def snapshot(model, path):
    LEAD and torch.save(model.module.state_dict(), path)
    dist.barrier()


def main():
    local = int(os.environ["SLURM_LOCALID"])
    torch.cuda.set_device(local)
    connect()
    torch.manual_seed(0)
    model = DDP(nn.Linear(30, 30).cuda(), device_ids=[local])
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    noise = torch.Generator(device="cuda").manual_seed(100 + PROC)
    for step in range(1, 301):
        x = torch.randn(64, 30, generator=noise, device="cuda")
        loss = (model(x) - x.roll(1, 1)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 100 == 0:
            snapshot(model, f"step{step}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
