import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from prepool.work import CACHE, prepare


def main(count=16, epochs=2):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    if local == 0:
        prepare(count, 4)
    dist.barrier()
    rows = np.concatenate([np.load(CACHE / f"{i:03d}.npy") for i in range(count)])
    data = TensorDataset(torch.from_numpy(rows))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    model = DDP(nn.Linear(16, 16).cuda(), device_ids=[local])
    opt = torch.optim.Adam(model.parameters())
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda()
            opt.zero_grad()
            (model(x) - x).square().mean().backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
