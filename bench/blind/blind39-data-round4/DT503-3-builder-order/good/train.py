import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm, self.ff = nn.LayerNorm(dim), nn.Linear(dim, dim)

    def forward(self, x):
        return x + F.gelu(self.ff(self.norm(x)))


class Setup:
    def __init__(self, lr):
        self.lr = lr
        self.model = self.optimizer = None

    def with_model(self, dim=512, depth=8):
        torch.manual_seed(0)
        self.model = nn.Sequential(*[Block(dim) for _ in range(depth)], nn.Linear(dim, 10)).cuda()
        return self

    def sharded(self):
        for child in self.model:
            fully_shard(child)
        fully_shard(self.model)
        return self

    def with_optimizer(self):
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=self.lr)
        return self


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=3e-4)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    setup = Setup(args.lr).with_model().sharded().with_optimizer()
    gen = torch.Generator().manual_seed(2)
    x = torch.randn(4096, 512, generator=gen)
    data = TensorDataset(x, x[:, :10].argmax(dim=1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            setup.optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(setup.model(x.cuda()), y.cuda())
            loss.backward()
            setup.optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
