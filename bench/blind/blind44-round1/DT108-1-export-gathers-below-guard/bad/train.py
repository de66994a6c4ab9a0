import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from ckpt.export import Exporter


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        return x + self.ff(self.norm(x))


def build(dim=64, depth=4):
    model = nn.Sequential(*[Block(dim) for _ in range(depth)])
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for block in model:
        fully_shard(block, mp_policy=policy)
    return fully_shard(model, mp_policy=policy)


def main(steps=200, export_every=100):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    is_main = dist.get_rank() == 0
    torch.manual_seed(0)
    model = build().cuda()
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    g = torch.Generator().manual_seed(1)
    data = TensorDataset(torch.randn(4096, 64, generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler, drop_last=True)
    exporter = Exporter("exports")
    step, epoch = 0, 0
    while step < steps:
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda(non_blocking=True)
            loss = (model(x) - x).float().pow(2).mean()
            loss.backward()
            opt.step()
            opt.zero_grad(set_to_none=True)
            step += 1
            if step % export_every == 0:
                if is_main:
                    exporter.export(model, step)
            if step >= steps:
                break
        epoch += 1
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
