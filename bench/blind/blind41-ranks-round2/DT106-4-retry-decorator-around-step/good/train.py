import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from retry import retry


def step(model, opt, x, y):
    opt.zero_grad(set_to_none=True)
    loss = nn.functional.huber_loss(model(x), y)
    loss.backward()
    opt.step()
    return loss.detach()


@retry(times=5)
def read(path):
    return torch.load(path, map_location="cpu")


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    table = read("/shared/table.pt")
    torch.manual_seed(0)
    model = DDP(nn.Linear(table["x"].shape[1], 1).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    data = TensorDataset(table["x"], table["y"])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            step(model, opt, x.cuda(), y.cuda())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
