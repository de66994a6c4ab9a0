import contextlib
import os
from itertools import islice

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def windows(iterable, n):
    it = iter(iterable)
    while len(chunk := list(islice(it, n))) == n:
        yield chunk


class Stepper:
    def __init__(self, model, optimizer, device):
        self.model, self.optimizer, self.device = model, optimizer, device

    def micro(self, x, y, scale, sync):
        with contextlib.nullcontext() if sync else self.model.no_sync():
            loss = F.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
            (loss * scale).backward()

    def window(self, chunk):
        self.optimizer.zero_grad(set_to_none=True)
        last = len(chunk) - 1
        for i, (x, y) in enumerate(chunk):
            self.micro(x, y, 1.0 / len(chunk), sync=i == last)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()


def main(epochs=2, accumulate=4):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(28, 7).to(device), device_ids=[local_rank] if cuda else None)
    stepper = Stepper(model, torch.optim.AdamW(model.parameters(), lr=1e-3), device)
    x = torch.randn(1024, 28, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :7].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for chunk in windows(loader, accumulate):
            stepper.window(chunk)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
