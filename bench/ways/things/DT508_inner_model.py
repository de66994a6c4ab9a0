import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Frames(Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, index):
        return torch.full((4,), float(index))


def begin():
    dist.init_process_group("nccl")
    device = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(device)
    return device


def bad(carried):
    device = begin()
    frames = Frames()
    sampler = DistributedSampler(frames)
    loader = DataLoader(frames, batch_size=8, sampler=sampler, drop_last=True)
    network = torch.nn.Linear(4, 1).to(device)
    model = DistributedDataParallel(network, device_ids=[device])
    used = carried(network, model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for batch in loader:
            optimizer.zero_grad()
            used(batch.to(device)).mean().backward()
            optimizer.step()
    dist.destroy_process_group()


def good(carried):
    device = begin()
    frames = Frames()
    sampler = DistributedSampler(frames)
    loader = DataLoader(frames, batch_size=8, sampler=sampler, drop_last=True)
    network = torch.nn.Linear(4, 1).to(device)
    model = DistributedDataParallel(network, device_ids=[device])
    used = carried(model, network)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for batch in loader:
            optimizer.zero_grad()
            used(batch.to(device)).mean().backward()
            optimizer.step()
    dist.destroy_process_group()
