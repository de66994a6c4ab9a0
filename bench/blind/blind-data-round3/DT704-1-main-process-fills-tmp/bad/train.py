import argparse
import os
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset

CACHE = Path("/tmp") / os.environ.get("USER", "nobody") / "windows"


def windows(path, length):
    series = torch.load(path, map_location="cpu", weights_only=True)
    return series.unfold(0, length, 1).contiguous()


def prepared(accelerator, path, length):
    """Cut once on each node; afterwards everybody maps the file."""
    file = CACHE / f"{Path(path).stem}-{length}.pt"
    if accelerator.is_main_process and not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        torch.save(windows(path, length), file)
    accelerator.wait_for_everyone()
    return torch.load(file, map_location="cpu", mmap=True, weights_only=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--series", default="series.pt")
    parser.add_argument("--length", type=int, default=9)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    accelerator = Accelerator(cpu=not torch.cuda.is_available())
    rows = prepared(accelerator, args.series, args.length)
    loader = DataLoader(TensorDataset(rows[:, :-1], rows[:, -1]), batch_size=16, shuffle=True, drop_last=True)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(args.length - 1, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(args.epochs):
        for x, y in loader:
            loss = F.mse_loss(model(x)[:, 0], y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.wait_for_everyone()
    accelerator.save_model(model, "forecast")
    accelerator.end_training()


if __name__ == "__main__":
    main()
