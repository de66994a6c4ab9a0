import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def lead_epoch_end(model, epoch):
    torch.save(model.module.state_dict(), f"epoch{epoch}.pt")
    print("epoch", epoch, "saved")
    dist.barrier()


def worker_epoch_end(model, epoch):
    torch.cuda.empty_cache()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    epoch_end = {True: lead_epoch_end, False: worker_epoch_end}[dist.get_rank() == 0]
    torch.manual_seed(0)
    model = DDP(nn.Linear(10, 10).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator(device="cuda").manual_seed(10 + dist.get_rank())
    for epoch in range(3):
        for _ in range(50):
            x = torch.randn(16, 10, generator=gen, device="cuda")
            opt.zero_grad()
            (model(x) - x).pow(2).mean().backward()
            opt.step()
        epoch_end(model, epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
