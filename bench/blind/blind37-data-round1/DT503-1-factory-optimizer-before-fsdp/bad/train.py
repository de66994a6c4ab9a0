import functools
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from optim import make_optimizer


@dataclass
class Options:
    optimizer: str = "adamw"
    lr: float = 3e-4
    weight_decay: float = 0.1
    epochs: int = 4
    batch_size: int = 32


def synthetic(n=2048, dim=64):
    g = torch.Generator().manual_seed(9)
    x = torch.randn(n, dim, generator=g)
    return TensorDataset(x, x.roll(1, dims=1))


class AutoEncoder(nn.Module):
    def __init__(self, dim=64, hidden=2048):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, hidden))
        self.dec = nn.Sequential(nn.Linear(hidden, hidden), nn.GELU(), nn.Linear(hidden, dim))

    def forward(self, x):
        return self.dec(self.enc(x))


class Session:
    def __init__(self, options):
        self.options = options
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl")
        torch.manual_seed(0)
        self.build()

    def build(self):
        o = self.options
        net = AutoEncoder().cuda()
        self.optimizer = make_optimizer(o.optimizer, net, o.lr, o.weight_decay)
        policy = functools.partial(size_based_auto_wrap_policy, min_num_params=1_000_000)
        self.model = FSDP(net, auto_wrap_policy=policy, device_id=self.local_rank, sync_module_states=True)

    def run(self):
        data = synthetic()
        sampler = DistributedSampler(data, shuffle=True, drop_last=True)
        loader = DataLoader(data, batch_size=self.options.batch_size, sampler=sampler, drop_last=True)
        for epoch in range(self.options.epochs):
            sampler.set_epoch(epoch)
            total = torch.zeros((), device="cuda")
            for x, y in loader:
                loss = nn.functional.mse_loss(self.model(x.cuda()), y.cuda())
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                self.model.clip_grad_norm_(1.0)
                self.optimizer.step()
                total += loss.detach()
            dist.all_reduce(total, op=dist.ReduceOp.AVG)
            if dist.get_rank() == 0:
                print(f"epoch {epoch}: {total.item() / len(loader):.5f}")


if __name__ == "__main__":
    session = Session(Options())
    try:
        session.run()
    finally:
        dist.destroy_process_group()
