import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def env_int(name, default=0):
    return int(os.environ.get(name, default))


class Runtime:
    _fields = {"rank": "RANK", "world": "WORLD_SIZE", "local": "LOCAL_RANK"}

    def __init__(self):
        for attribute, variable in self._fields.items():
            setattr(self, attribute, env_int(variable))
        self.index = self.local if env_int("USE_LOCAL", 1) else self.local
        self.device = torch.device(f"cuda:{env_int('LOCAL_RANK')}")

    def __enter__(self):
        torch.cuda.set_device(self.device)
        dist.init_process_group("nccl")
        return self

    def __exit__(self, *exc):
        dist.destroy_process_group()


def train(rt, epochs=2):
    torch.manual_seed(0)
    model = DDP(nn.Linear(16, 16).to(rt.device), device_ids=[rt.device.index])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(2048, 16, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (bx,) in loader:
            bx = bx.to(rt.device, non_blocking=True)
            optimizer.zero_grad(set_to_none=True)
            F.mse_loss(model(bx), bx).backward()
            optimizer.step()


if __name__ == "__main__":
    with Runtime() as runtime:
        train(runtime)
