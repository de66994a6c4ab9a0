import os
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from torch.utils.tensorboard import SummaryWriter


@dataclass
class Context:
    rank: int
    world: int
    device: torch.device
    logdir: str = "runs/latest"
    writer: Any = field(default=None)

    def __post_init__(self):
        if self.rank == 0:
            self.writer = SummaryWriter(self.logdir)

    def scalar(self, tag, value, step):
        if self.writer is not None:
            self.writer.add_scalar(tag, value, step)

    def close(self):
        if self.writer is not None:
            self.writer.close()


def open_context():
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    return Context(dist.get_rank(), dist.get_world_size(), device)


def main():
    ctx = open_context()
    torch.manual_seed(0)
    model = DDP(nn.Linear(4, 2).to(ctx.device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    x = torch.randn(256, 4, generator=torch.Generator().manual_seed(0))
    dataset = TensorDataset(x, (x.sum(1) > 0).long())
    sampler = DistributedSampler(dataset, num_replicas=ctx.world, rank=ctx.rank)
    loader = DataLoader(dataset, batch_size=16, sampler=sampler)
    step = 0
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for features, label in loader:
            loss = F.cross_entropy(model(features.to(ctx.device)), label.to(ctx.device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        ctx.scalar("loss/train", mean.item() / ctx.world, step)
    ctx.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
