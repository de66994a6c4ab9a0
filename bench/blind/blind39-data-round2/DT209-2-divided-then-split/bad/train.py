import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import DataLoaderConfiguration, set_seed
from torch.utils.data import DataLoader, TensorDataset


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--global-batch-size", type=int, default=512)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=11)
    return parser.parse_args()


def signals(n=32_768):
    gen = torch.Generator().manual_seed(90)
    x = torch.randn(n, 2, 64, generator=gen)
    return TensorDataset(x, x.abs().amax(dim=(1, 2)))


class Peaks(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(2, 32, 5), nn.ReLU(), nn.AdaptiveAvgPool1d(4))
        self.head = nn.Linear(128, 1)

    def forward(self, x):
        return self.head(self.conv(x).flatten(1)).squeeze(-1)


def main():
    args = arguments()
    accelerator = Accelerator(dataloader_config=DataLoaderConfiguration(split_batches=True))
    set_seed(args.seed)
    batch_size = args.global_batch_size // accelerator.num_processes
    loader = DataLoader(signals(), batch_size=batch_size, shuffle=True, drop_last=True)
    model = Peaks()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(args.epochs):
        running = torch.zeros((), device=accelerator.device)
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), y)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            running += loss.detach()
        running = accelerator.reduce(running, reduction="mean")
        accelerator.print(f"epoch {epoch}: {running.item() / len(loader):.4f}")
    accelerator.wait_for_everyone()
    accelerator.save_model(model, "peaks")
    accelerator.end_training()


if __name__ == "__main__":
    main()
