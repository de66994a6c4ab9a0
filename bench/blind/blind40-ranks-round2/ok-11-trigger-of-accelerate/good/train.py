import argparse
import math
import time

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class StopAfter:
    def __init__(self, seconds):
        self.until = time.perf_counter() + seconds

    def __bool__(self):
        return time.perf_counter() > self.until


def loaders(batch):
    g = torch.Generator().manual_seed(17)
    x = torch.randn(1536, 20, generator=g)
    y = x[:, :4].softmax(1).argmax(1)
    return DataLoader(TensorDataset(x, y), batch_size=batch, shuffle=True, drop_last=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--minutes", type=float, default=20)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--out", default="state")
    args = p.parse_args()
    accelerator = Accelerator(gradient_accumulation_steps=2)
    set_seed(3)
    model = nn.Sequential(nn.Linear(20, 80), nn.GELU(), nn.Linear(80, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loaders(args.batch))
    late = StopAfter(60 * args.minutes)
    stopped = False
    for epoch in range(args.epochs):
        for x, y in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
            if late or not math.isfinite(loss.item()):
                accelerator.set_trigger()
            if accelerator.check_trigger():
                stopped = True
                break
        accelerator.save_state(f"{args.out}/{epoch}")
        if stopped:
            accelerator.print("stopped early")
            break
    accelerator.end_training()


if __name__ == "__main__":
    main()
