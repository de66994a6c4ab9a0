import argparse
import math

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, TensorDataset


def warmup_cosine(optimizer, warmup, total):
    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warmup) / max(1, total - warmup))))

    return LambdaLR(optimizer, factor)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-steps", type=int, default=2000)
    parser.add_argument("--warmup-steps", type=int, default=100)
    args = parser.parse_args()
    accelerator = Accelerator()
    set_seed(1)
    x = torch.randn(20_000, 32, generator=torch.Generator().manual_seed(0))
    loader = DataLoader(TensorDataset(x, x.std(1, keepdim=True)), batch_size=16, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(32, 128), nn.Tanh(), nn.Linear(128, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    schedule = warmup_cosine(optimizer, args.warmup_steps, args.max_steps)
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    done = 0
    while done < args.max_steps:
        for features, target in loader:
            accelerator.backward(F.mse_loss(model(features), target))
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            done += 1
            if done == args.max_steps:
                break
    accelerator.end_training()


if __name__ == "__main__":
    main()
