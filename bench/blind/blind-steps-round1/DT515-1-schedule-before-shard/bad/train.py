import math
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.optim.lr_scheduler import LambdaLR
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

EPOCHS, BATCH = 4, 32


def warmup_cosine(optimizer, total, warmup):
    def factor(step):
        if step < warmup:
            return step / max(1, warmup)
        return 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, total - warmup)))

    return LambdaLR(optimizer, factor)


def make_data():
    g = torch.Generator().manual_seed(12)
    x = torch.randn(8192, 30, generator=g)
    return TensorDataset(x, (x[:, 0] > 0).long())


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(30, 2).to(device), device_ids=[local] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    data = make_data()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=BATCH, sampler=sampler, drop_last=True)
    total = EPOCHS * (len(data) // BATCH)
    scheduler = warmup_cosine(optimizer, total, warmup=total // 20)
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
            scheduler.step()
    if dist.get_rank() == 0:
        print("last lr", scheduler.get_last_lr())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
