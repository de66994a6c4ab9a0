import argparse

import deepspeed
import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 16,
    "gradient_accumulation_steps": 4,
    "zero_optimization": {"stage": 2},
    "bf16": {"enabled": True},
}


def groups(net):
    return [
        {"params": [p for p in net.parameters() if p.ndim > 1], "weight_decay": 0.1},
        {"params": [p for p in net.parameters() if p.ndim <= 1], "weight_decay": 0.0},
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--local_rank", type=int, default=-1)
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(48, 96), nn.GELU(), nn.Linear(96, 3))
    optimizer = torch.optim.AdamW(groups(net), lr=1e-4)
    engine, optimizer, _, _ = deepspeed.initialize(model=net, optimizer=optimizer, config=CONFIG)
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(4096, 48, generator=g), torch.randint(0, 3, (4096,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=engine.train_micro_batch_size_per_gpu(), sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(engine(x.to(engine.device).bfloat16()), y.to(engine.device))
            engine.backward(loss)
            engine.step()
        engine.save_checkpoint("out", tag=f"epoch{epoch}")


if __name__ == "__main__":
    main()
