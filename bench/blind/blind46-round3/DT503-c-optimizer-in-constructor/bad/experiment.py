import os
from functools import cached_property

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def build_net(width=256):
    return nn.Sequential(nn.Linear(32, width), nn.GELU(), nn.Linear(width, 32))


class Experiment:
    def __init__(self, lr=1e-3):
        self.lr = lr
        self.net = build_net().cuda()
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=lr)

    def prepare(self):
        self.net = FSDP(self.net, use_orig_params=False)
        return self

    @cached_property
    def sampler(self):
        return DistributedSampler(self.data, drop_last=True)

    @cached_property
    def data(self):
        return TensorDataset(torch.randn(2048, 32, generator=torch.Generator().manual_seed(0)))

    def loader(self, batch_size=32):
        return DataLoader(self.data, batch_size=batch_size, sampler=self.sampler, drop_last=True)

    def run(self, epochs):
        loader = self.loader()
        for epoch in range(epochs):
            self.sampler.set_epoch(epoch)
            for (x,) in loader:
                x = x.cuda(non_blocking=True)
                self.optimizer.zero_grad(set_to_none=True)
                F.mse_loss(self.net(x), x).backward()
                self.optimizer.step()


if __name__ == "__main__":
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    Experiment().prepare().run(epochs=2)
    dist.destroy_process_group()
