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
    from torch.distributed.fsdp import FullyShardedDataParallel

    device = begin()
    network = torch.nn.Linear(4, 1).to(device)
    optimizer = carried(torch.optim.SGD(network.parameters(), lr=0.1), None)
    model = FullyShardedDataParallel(network)
    model(torch.ones(2, 4, device=device)).mean().backward()
    optimizer.step()
    dist.destroy_process_group()


def good(carried):
    from torch.distributed.fsdp import FullyShardedDataParallel

    device = begin()
    model = FullyShardedDataParallel(torch.nn.Linear(4, 1).to(device))
    optimizer = carried(torch.optim.SGD(model.parameters(), lr=0.1), None)
    model(torch.ones(2, 4, device=device)).mean().backward()
    optimizer.step()
    dist.destroy_process_group()
