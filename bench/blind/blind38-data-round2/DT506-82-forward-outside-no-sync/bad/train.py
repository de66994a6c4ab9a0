"""Accumulates over several micro-batches and keeps DDP quiet until the last of them."""
import contextlib
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Accumulator:
    def __init__(self, model, optimizer, micro_steps):
        self.model = model
        self.optimizer = optimizer
        self.micro_steps = micro_steps
        self.seen = 0

    @property
    def last(self):
        return (self.seen + 1) % self.micro_steps == 0

    def quiet(self):
        return contextlib.nullcontext() if self.last else self.model.no_sync()

    def step(self, x, y):
        prediction = self.model(x)
        loss = nn.functional.cross_entropy(prediction, y)
        with self.quiet():
            (loss / self.micro_steps).backward()
        if self.last:
            nn.utils.clip_grad_norm_(self.model.parameters(), 2.0)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
        self.seen += 1
        return loss.detach()


def rows(count=8192, width=40):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(count, width, generator=g)
    return TensorDataset(x, x[:, :6].argmax(dim=1))


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(2)
    data = rows()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Linear(40, 512), nn.ReLU(), nn.Linear(512, 6)).to(device)
    model = DistributedDataParallel(net, device_ids=[local] if cuda else None)
    accumulate = Accumulator(model, torch.optim.AdamW(model.parameters(), lr=1e-3), micro_steps=4)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for x, y in loader:
            total += accumulate.step(x.to(device), y.to(device))
        dist.all_reduce(total)
        if dist.get_rank() == 0:
            print(epoch, total.item() / len(loader) / dist.get_world_size(), flush=True)
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
