import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Options:
    epochs: int = 5
    batch_size: int = 16
    lr: float = 2e-3
    warmup: float = 0.05
    seed: int = 4


def cosine(optimizer, warmup_steps, total_steps):
    def factor(step):
        if step < warmup_steps:
            return (step + 1) / warmup_steps
        progress = (step - warmup_steps) / max(1, total_steps - warmup_steps)
        return 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))

    return LambdaLR(optimizer, factor)


def waves(n=8192):
    gen = torch.Generator().manual_seed(41)
    phase = torch.rand(n, 1, generator=gen) * 6.28
    t = torch.linspace(0, 6.28, 100)
    return TensorDataset(torch.sin(t + phase), phase)


def main(opts=Options()):
    accelerator = Accelerator()
    set_seed(opts.seed)
    loader = DataLoader(waves(), batch_size=opts.batch_size, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(100, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=opts.lr)
    total_steps = opts.epochs * len(loader)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    schedule = cosine(optimizer, int(opts.warmup * total_steps), total_steps)
    for epoch in range(opts.epochs):
        for signal, phase in loader:
            optimizer.zero_grad()
            loss = F.mse_loss(model(signal), phase)
            accelerator.backward(loss)
            optimizer.step()
            schedule.step()
        accelerator.print(f"epoch {epoch} lr {schedule.get_last_lr()[0]:.2e}")
    accelerator.wait_for_everyone()
    accelerator.save_model(model, "waves")
    accelerator.end_training()


if __name__ == "__main__":
    main()
