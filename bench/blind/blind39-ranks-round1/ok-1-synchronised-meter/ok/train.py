import os
from collections import defaultdict

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class MetricLogger:
    def __init__(self, device):
        self.sums = defaultdict(float)
        self.counts = defaultdict(int)
        self.device = device

    def update(self, **values):
        for name, value in values.items():
            self.sums[name] += float(value)
            self.counts[name] += 1

    def synchronize_between_processes(self):
        if not dist.is_initialized():
            return
        for name in sorted(self.sums):
            pair = torch.tensor([self.sums[name], self.counts[name]], dtype=torch.float64, device=self.device)
            dist.all_reduce(pair)
            self.sums[name], self.counts[name] = pair[0].item(), int(pair[1].item())

    def __str__(self):
        return "  ".join(f"{name} {self.sums[name] / self.counts[name]:.4f}" for name in self.sums)


def one_epoch(model, loader, optimizer, device):
    logger = MetricLogger(device)
    for x, y in loader:
        logits = model(x.to(device))
        loss = nn.functional.cross_entropy(logits, y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logger.update(loss=loss.item(), acc=(logits.argmax(1).cpu() == y).float().mean().item())
    logger.synchronize_between_processes()
    if dist.get_rank() == 0:
        print(f"averaged: {logger}")
    return logger


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(10, 4).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    g = torch.Generator().manual_seed(1)
    data = TensorDataset(torch.randn(400, 10, generator=g), torch.randint(0, 4, (400,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        one_epoch(model, loader, optimizer, device)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
