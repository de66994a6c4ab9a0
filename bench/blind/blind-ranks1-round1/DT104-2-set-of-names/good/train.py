import os
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from logbook import Logbook


def build_loader(batch_size):
    g = torch.Generator().manual_seed(4)
    x = torch.randn(256, 8, generator=g)
    y = (x.norm(dim=1) > 2.8).long()
    data = TensorDataset(x, y)
    sampler = DistributedSampler(data, drop_last=True)
    return DataLoader(data, batch_size=batch_size, sampler=sampler, drop_last=True), sampler


def train_epoch(model, loader, optimizer, logbook, device):
    for x, y in loader:
        started = time.perf_counter()
        x, y = x.to(device), y.to(device)
        logits = model(x)
        loss = F.cross_entropy(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logbook.add(
            loss=loss.item(),
            accuracy=(logits.argmax(1) == y).float().mean().item(),
            confidence=logits.softmax(1).max(1).values.mean().item(),
            tokens_per_second=len(x) / (time.perf_counter() - started),
        )


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loader, sampler = build_loader(16)
    logbook = Logbook(device)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        train_epoch(model, loader, optimizer, logbook, device)
        means = logbook.close()
        if dist.get_rank() == 0:
            print(epoch, {k: round(v, 4) for k, v in means.items()})
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
