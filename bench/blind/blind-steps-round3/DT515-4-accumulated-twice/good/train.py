import os
from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

EPOCHS, WINDOW = 4, 4


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(16, 4).to(device), device_ids=[local] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(2048, 16, generator=g), torch.randint(0, 4, (2048,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    windows = len(loader) // WINDOW
    schedule = CosineAnnealingLR(optimizer, T_max=EPOCHS * windows)
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        batches = iter(loader)
        for _ in range(windows):
            optimizer.zero_grad()
            for i in range(WINDOW):
                x, y = next(batches)
                with model.no_sync() if i < WINDOW - 1 else nullcontext():
                    loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
                    (loss / WINDOW).backward()
            optimizer.step()
            schedule.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
