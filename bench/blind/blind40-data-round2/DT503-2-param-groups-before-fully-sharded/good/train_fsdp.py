import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import optim


class Encoder(nn.Module):
    def __init__(self, dim=128, depth=4):
        super().__init__()
        layer = nn.TransformerEncoderLayer(dim, 4, 4 * dim, batch_first=True)
        self.inp = nn.Linear(16, dim)
        self.body = nn.TransformerEncoder(layer, depth)
        self.out = nn.Linear(dim, 4)

    def forward(self, x):
        return self.out(self.body(self.inp(x)).mean(1))


def sequences(n=4096):
    gen = torch.Generator().manual_seed(8)
    x = torch.randn(n, 12, 16, generator=gen)
    return TensorDataset(x, x[:, :, :4].mean(1).argmax(-1))


def main(epochs=3, lr=3e-4):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = Encoder()
    model = FSDP(
        model,
        device_id=torch.cuda.current_device(),
        sharding_strategy=ShardingStrategy.FULL_SHARD,
        use_orig_params=True,
    )
    opt = optim.build(model, lr)
    data = sequences()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            F.cross_entropy(model(x.cuda()), y.cuda()).backward()
            model.clip_grad_norm_(1.0)
            opt.step()
        if dist.get_rank() == 0:
            print("epoch", epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
