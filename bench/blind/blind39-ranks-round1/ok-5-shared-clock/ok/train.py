import os
import time
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Limits:
    seconds: float = 120.0
    save_every: float = 30.0
    epochs: int = 10


class Clock:
    def __init__(self, limits):
        self.limits = limits
        self.start = self.saved = time.time()

    def verdict(self):
        now = time.time()
        answer = [(now - self.start > self.limits.seconds, now - self.saved > self.limits.save_every)]
        dist.broadcast_object_list(answer, src=0)
        stop, save = answer[0]
        if save:
            self.saved = now
        return stop, save


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(8, 8).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.randn(512, 8, generator=torch.Generator().manual_seed(4)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    limits = Limits()
    clock, stop = Clock(limits), False
    for epoch in range(limits.epochs):
        sampler.set_epoch(epoch)
        for step, (x,) in enumerate(loader):
            x = x.to(device)
            loss = (model(x) - x).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            stop, save = clock.verdict()
            if save:
                dcp.save({"model": model.module.state_dict()}, checkpoint_id=f"snap/{epoch}_{step}")
            if stop:
                break
        if stop:
            break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
