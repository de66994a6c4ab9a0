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
    model = DistributedDataParallel(torch.nn.Linear(4, 1).to(device), device_ids=[device])
    path = carried("weights.pt", f"weights-{dist.get_rank()}.pt")
    torch.save(model.state_dict(), path)
    dist.destroy_process_group()


def good(carried):
    device = begin()
    model = DistributedDataParallel(torch.nn.Linear(4, 1).to(device), device_ids=[device])
    path = carried(f"weights-{dist.get_rank()}.pt", "weights.pt")
    torch.save(model.state_dict(), path)
    dist.destroy_process_group()
