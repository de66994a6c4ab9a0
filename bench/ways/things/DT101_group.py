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
    pair, everybody = dist.new_group([0, 1]), dist.group.WORLD
    total = torch.ones(1, device=device)
    group = carried(everybody, pair)
    if dist.get_rank() < 2:
        dist.all_reduce(total, group=group)
    dist.destroy_process_group()


def good(carried):
    device = begin()
    pair, everybody = dist.new_group([0, 1]), dist.group.WORLD
    total = torch.ones(1, device=device)
    group = carried(pair, everybody)
    if dist.get_rank() < 2:
        dist.all_reduce(total, group=group)
    dist.destroy_process_group()
