import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from report import Report


def mean_over_ranks(value):
    dist.all_reduce(value, op=dist.ReduceOp.AVG)
    return value.item()


def main(epochs=5):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    report = Report("losses.jsonl")
    table = torch.load("table.pt", map_location="cpu")
    data = TensorDataset(table["x"], table["y"])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 128, sampler=sampler, drop_last=True)
    net = DistributedDataParallel(nn.Linear(16, 1).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device="cuda")
        for x, y in loader:
            loss = nn.functional.mse_loss(net(x.cuda()).squeeze(-1), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        report.add(epoch=epoch, loss=mean_over_ranks(total / len(loader)))
    report.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
