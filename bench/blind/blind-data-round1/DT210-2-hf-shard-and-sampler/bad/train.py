import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from datasets import Dataset
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


def rows(count=640):
    g = torch.Generator().manual_seed(3)
    x = torch.rand(count, 4, generator=g)
    return {"x": x.tolist(), "y": x.sum(1).tolist()}


def tokenised(world, rank):
    table = Dataset.from_dict(rows())
    table = table.shard(num_shards=world, index=rank)
    table = table.map(lambda r: {"x": [2 * v - 1 for v in r["x"]]})
    return table.with_format("torch")


class Runner:
    def __init__(self):
        self.cuda = torch.cuda.is_available()
        if self.cuda:
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl" if self.cuda else "gloo")
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.device = torch.device("cuda", torch.cuda.current_device()) if self.cuda else torch.device("cpu")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        dist.destroy_process_group()

    def run(self, epochs=2):
        dataset = tokenised(self.world, self.rank)
        sampler = DistributedSampler(dataset, num_replicas=self.world, rank=self.rank, drop_last=True)
        loader = DataLoader(dataset, batch_size=16, sampler=sampler, drop_last=True)
        torch.manual_seed(0)
        model = DDP(nn.Linear(4, 1).to(self.device))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for batch in loader:
                loss = F.mse_loss(model(batch["x"].to(self.device))[:, 0], batch["y"].to(self.device))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        if self.rank == 0:
            torch.save(model.module.state_dict(), "sum.pt")


if __name__ == "__main__":
    with Runner() as runner:
        runner.run()
