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
    total = torch.ones(1, device=device)
    handle = carried(dist.all_reduce(total, async_op=True), None)
    print(total.item(), handle)
    dist.destroy_process_group()


def good(carried):
    device = begin()
    total = torch.ones(1, device=device)
    handle = carried(dist.all_reduce(total, async_op=True), None)
    handle.wait()
    print(total.item())
    dist.destroy_process_group()
