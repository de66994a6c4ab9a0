import argparse
import os
import time

import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", required=True)
    parser.add_argument("--root", default="/shared/runs")
    parser.add_argument("--epochs", type=int, default=6)
    return parser.parse_args()


def digits(n=30_000):
    g = torch.Generator().manual_seed(12)
    x = torch.rand(n, 256, generator=g)
    return TensorDataset(x, x.view(n, 16, 16).sum(2).argmax(1))


def main():
    o = options()
    folder = os.path.join(o.root, o.run)
    plugin = FullyShardedDataParallelPlugin(state_dict_type="sharded_state_dict")
    accelerator = Accelerator(fsdp_plugin=plugin, mixed_precision="bf16")
    set_seed(12)
    net = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 16))
    model = accelerator.prepare(net)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    optimizer, loader = accelerator.prepare(optimizer, DataLoader(digits(), batch_size=64, shuffle=True, drop_last=True))
    for epoch in range(o.epochs):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.save_state(os.path.join(folder, f"epoch{epoch}"))
        accelerator.print(f"saved epoch {epoch}")
    accelerator.end_training()


if __name__ == "__main__":
    main()
