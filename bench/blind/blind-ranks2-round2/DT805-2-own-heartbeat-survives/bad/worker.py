import os
import sys
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from membership import Membership


def train(rank):
    torch.manual_seed(0)
    model = DDP(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(128, 4, generator=torch.Generator().manual_seed(5))
    data = TensorDataset(x, x.prod(dim=1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for inputs, targets in loader:
            loss = nn.functional.mse_loss(model(inputs), targets)
            if not torch.isfinite(loss):
                raise FloatingPointError(f"loss of rank {rank} in epoch {epoch}")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def main():
    rank = int(os.environ["RANK"])
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    store = dist.PrefixStore("membership", dist.distributed_c10d._get_default_store())
    membership = Membership(store, rank).start()
    train(rank)
    membership.stop()
    dist.destroy_process_group()


if __name__ == "__main__":
    sys.exit(main())
