import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

ACCUMULATE = 4
EPOCHS = 3


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        return x + self.mlp(self.norm(x))


class Mixer(nn.Module):
    def __init__(self, dim=32, width=256, depth=4, classes=8):
        super().__init__()
        self.stem = nn.Linear(dim, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def shard(model):
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for block in model.blocks:
        fully_shard(block, mp_policy=policy)
    fully_shard(model, mp_policy=policy)
    return model


def dataset(n=4096, dim=32, classes=8):
    g = torch.Generator().manual_seed(77)
    x = torch.randn(n, dim, generator=g)
    return TensorDataset(x, (x @ torch.randn(dim, classes, generator=g)).argmax(1))


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = shard(Mixer().cuda())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = dataset()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    usable = len(loader) - len(loader) % ACCUMULATE

    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        seen = torch.zeros((), device="cuda")
        for step, (x, y) in enumerate(loader):
            if step >= usable:
                break
            model.set_requires_gradient_sync((step + 1) % ACCUMULATE == 0)
            loss = F.cross_entropy(model(x.cuda()), y.cuda()) / ACCUMULATE
            loss.backward()
            seen += loss.detach()
            if (step + 1) % ACCUMULATE == 0:
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
        dist.all_reduce(seen, op=dist.ReduceOp.AVG)
        if dist.get_rank() == 0:
            print(epoch, seen.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
