import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from engine import Engine


class Layer(nn.TransformerEncoderLayer):
    pass


class Encoder(nn.Module):
    def __init__(self, dim=64, depth=4):
        super().__init__()
        self.layers = nn.ModuleList([Layer(dim, 4, 128, batch_first=True) for _ in range(depth)])
        self.out = nn.Linear(dim, 8)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.out(x)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    engine = Engine(Encoder(), Layer, local_rank, clip=1.0)
    data = TensorDataset(torch.randn(1024, 10, 64, generator=torch.Generator().manual_seed(1)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for (batch,) in loader:
            engine.train_step(batch.cuda(local_rank))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
