import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(8, 1).cuda(), device_ids=[local])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    draw = torch.Generator().manual_seed(1 + dist.get_rank())
    for _ in range(args.epochs * 50):
        x = torch.randn(16, 8, generator=draw).cuda()
        opt.zero_grad()
        nn.functional.mse_loss(model(x), x[:, :1]).backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
