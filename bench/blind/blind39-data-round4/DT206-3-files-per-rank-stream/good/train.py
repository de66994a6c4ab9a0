import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from stream import ParquetRows


def main(steps=20_000):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    rows = ParquetRows("/data/loans", rank, world, forever=True)
    loader = DataLoader(rows, batch_size=256, num_workers=2, drop_last=True, pin_memory=True)
    model = DDP(nn.Sequential(nn.Linear(40, 128), nn.ReLU(), nn.Linear(128, 1)).cuda(), device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step, (x, y) in enumerate(loader):
        if step == steps:
            break
        opt.zero_grad(set_to_none=True)
        loss = F.mse_loss(model(x.cuda()).squeeze(-1), y.cuda())
        loss.backward()
        opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "loans.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
