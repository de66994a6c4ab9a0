import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from trace import StepTimes


def checked(x):
    if not torch.isfinite(x).all():
        raise ValueError("batch has values that are not finite")
    return x


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(13, 2).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    x = torch.randn(520, 13, generator=torch.Generator().manual_seed(7))
    data = TensorDataset(x, (x.sum(1) > 0).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=26, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        with StepTimes() as steps:
            for xb, yb in loader:
                opt.zero_grad()
                nn.functional.cross_entropy(model(checked(xb).to(device)), yb.to(device)).backward()
                opt.step()
                steps.lap()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
