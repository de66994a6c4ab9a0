import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def loader_for(data, sampler):
    return DataLoader(data, batch_size=16, sampler=sampler, num_workers=2, timeout=30, drop_last=True)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(640, 8, generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = loader_for(data, sampler)
    torch.manual_seed(0)
    model = DDP(nn.Linear(8, 8).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda()
            opt.zero_grad()
            (model(x) - x).pow(2).mean().backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
