import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--config", required=True)
    p.parse_args()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(8, 8).cuda(local), device_ids=[local])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    draw = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(100):
        x = torch.randn(4, 8, generator=draw).cuda(local)
        opt.zero_grad()
        model(x).square().mean().backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
