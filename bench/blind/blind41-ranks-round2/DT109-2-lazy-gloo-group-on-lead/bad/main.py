import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel

from control import Control


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    control = Control()
    if dist.get_rank() == 0:
        print(control.describe())
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(8, 8).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank() + 5)
    for step in range(30):
        x = torch.randn(16, 8, generator=gen, device="cuda")
        loss = (model(x) - x).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    note = control.share({"steps": 30} if dist.get_rank() == 0 else None)
    print(note)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
