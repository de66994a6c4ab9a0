import os

import torch
from torch.utils.data import DataLoader


def busy():
    one_minute, _, _ = os.getloadavg()
    return one_minute > (os.cpu_count() or 1)


def make_loader(data, sampler, batch, device):
    votes = torch.tensor(float(busy()), device=device)
    torch.distributed.all_reduce(votes, op=torch.distributed.ReduceOp.MAX)
    if votes.item():
        batch //= 2
    return DataLoader(data, batch_size=batch, sampler=sampler, drop_last=True)
