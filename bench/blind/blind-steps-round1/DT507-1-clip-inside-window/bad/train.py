import os
from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from amp import AmpStepper

WINDOW = 8


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local)
    torch.manual_seed(7)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(40, 80), nn.GELU(), nn.Linear(80, 3)).to(device), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    stepper = AmpStepper(model, optimizer, WINDOW)
    g = torch.Generator().manual_seed(9)
    data = TensorDataset(torch.randn(8192, 40, generator=g), torch.randint(0, 3, (8192,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    usable = len(loader) - len(loader) % WINDOW
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for i, (x, y) in enumerate(loader):
            if i == usable:
                break
            last = (i + 1) % WINDOW == 0
            with nullcontext() if last else model.no_sync():
                with torch.autocast("cuda", dtype=torch.float16):
                    loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
                stepper(loss, last)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
