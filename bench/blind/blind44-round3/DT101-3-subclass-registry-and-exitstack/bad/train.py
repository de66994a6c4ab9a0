import contextlib
import os
from typing import NamedTuple

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from plug.base import opened
from plug.select import select


class Env(NamedTuple):
    device: torch.device
    lead: bool


def main(epochs=3):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    env = Env(device, dist.get_rank() == 0)
    plugins = select(["banner", "timer"], env)
    torch.manual_seed(0)
    model = DDP(nn.Linear(9, 3).to(device), device_ids=[device.index] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(900, 9, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x[:, :3])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 25, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        with contextlib.ExitStack() as stack:
            opened(stack, plugins, epoch)
            for a, b in loader:
                opt.zero_grad()
                nn.functional.mse_loss(model(a.to(device)), b.to(device)).backward()
                opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
