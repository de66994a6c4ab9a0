import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def parse(batch):
    x, y = batch
    if (y < 0).any():
        raise ValueError("label below zero")
    return x, y


def fit(model, loader, sampler, opt, device):
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for batch in loader:
            x, y = parse(batch)
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    with contextlib.ExitStack() as stack:
        cuda = torch.cuda.is_available()
        if cuda:
            torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl" if cuda else "gloo")
        device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
        stack.callback(dist.destroy_process_group)
        stack.callback(dist.barrier)
        torch.manual_seed(0)
        model = DDP(nn.Linear(7, 3).to(device))
        opt = torch.optim.SGD(model.parameters(), lr=0.1)
        gen = torch.Generator().manual_seed(0)
        data = TensorDataset(torch.randn(630, 7, generator=gen), torch.randint(0, 3, (630,), generator=gen))
        sampler = DistributedSampler(data, drop_last=True)
        loader = DataLoader(data, batch_size=21, sampler=sampler, drop_last=True)
        fit(model, loader, sampler, opt, device)


if __name__ == "__main__":
    main()
