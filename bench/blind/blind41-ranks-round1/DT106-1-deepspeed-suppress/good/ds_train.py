import argparse
import contextlib

import deepspeed
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset


class Pairs(Dataset):
    def __init__(self, n=4096):
        gen = torch.Generator().manual_seed(77)
        self.a = torch.randn(n, 64, generator=gen)
        self.b = torch.randint(0, 10, (n,), generator=gen)

    def __len__(self):
        return len(self.b)

    def __getitem__(self, i):
        return self.a[i], self.b[i]


DS_CONFIG = {
    "train_micro_batch_size_per_gpu": 16,
    "gradient_accumulation_steps": 1,
    "optimizer": {"type": "AdamW", "params": {"lr": 3e-4}},
    "zero_optimization": {"stage": 1},
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    engine, _, loader, _ = deepspeed.initialize(
        model=net, model_parameters=net.parameters(), training_data=Pairs(), config=DS_CONFIG
    )
    for epoch in range(args.epochs):
        loader.data_sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(engine.device), y.to(engine.device)
            loss = F.cross_entropy(engine(x), y)
            engine.backward(loss)
            engine.step()
        engine.save_checkpoint("ds_out", tag=f"epoch{epoch}")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
