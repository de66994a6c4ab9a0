import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from settings import Settings


def loader(settings):
    x = torch.randn(10_000, 18, generator=torch.Generator().manual_seed(4))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    size = settings.batch_size // dist.get_world_size()
    return DataLoader(data, batch_size=size, sampler=sampler, drop_last=True), sampler


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    settings = Settings.read("conf.yaml")
    torch.manual_seed(0)
    model = DDP(nn.Linear(18, 1).to(device), device_ids=[local] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=settings.lr)
    batches, sampler = loader(settings)
    for epoch in range(settings.epochs):
        sampler.set_epoch(epoch)
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
