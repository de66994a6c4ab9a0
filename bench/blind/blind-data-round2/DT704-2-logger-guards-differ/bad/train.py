import csv
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Table:
    def __init__(self, path, columns):
        self.file = open(path, "w", newline="")
        self.writer = csv.DictWriter(self.file, columns)
        self.writer.writeheader()

    def add(self, **row):
        self.writer.writerow(row)
        self.file.flush()


def mean_over_ranks(value):
    value = value.detach().clone()
    dist.all_reduce(value)
    return value.item() / dist.get_world_size()


def main():
    rank, local_rank = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if gpu else "gloo")
    device = torch.device("cuda", local_rank) if gpu else torch.device("cpu")
    table = Table("losses.csv", ["step", "loss"]) if rank == 0 else None
    torch.manual_seed(0)
    model = DDP(nn.Linear(4, 1).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    x = torch.randn(480, 4, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.abs().sum(1, keepdim=True))
    sampler = DistributedSampler(data)
    step = 0
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for rows, target in DataLoader(data, 12, sampler=sampler):
            loss = F.mse_loss(model(rows.to(device)), target.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % 5 == 0:
                mean = mean_over_ranks(loss)
                if local_rank == 0:
                    table.add(step=step, loss=mean)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
