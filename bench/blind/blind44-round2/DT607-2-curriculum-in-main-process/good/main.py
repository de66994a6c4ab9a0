import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from curriculum.data import Sums
from curriculum.loop import Schedule, run


def main():
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(nn.Linear(16, 1).to(device), device_ids=[device.index] if cuda else None)
    data = Sums()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, num_workers=4, persistent_workers=False, drop_last=True)
    run(model, torch.optim.Adam(model.parameters()), loader, sampler, Schedule(data, 2), device, epochs=10)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
