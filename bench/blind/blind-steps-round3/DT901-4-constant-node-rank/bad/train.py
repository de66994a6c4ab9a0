import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(5, 5).cuda(), device_ids=[local])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    draw = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for _ in range(100):
        x = torch.randn(8, 5, generator=draw, device="cuda")
        opt.zero_grad()
        nn.functional.mse_loss(model(x), x).backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
