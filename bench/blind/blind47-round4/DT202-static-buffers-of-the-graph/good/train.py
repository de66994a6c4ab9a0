import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from graphed import GraphedStep


def main(batch=64):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    x = torch.randn(10_000, 32)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch, sampler=sampler, pin_memory=True, drop_last=True)
    model = DistributedDataParallel(nn.Linear(32, 1).cuda(), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), capturable=True)
    step = GraphedStep(model, optimizer, torch.zeros(batch, 32, device="cuda"), torch.zeros(batch, 1, device="cuda"))
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for a, b in loader:
            step(a.cuda(non_blocking=True), b.cuda(non_blocking=True))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
