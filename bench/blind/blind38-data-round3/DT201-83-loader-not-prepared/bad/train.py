"""Accelerate with a head on frozen embeddings; loaders are made by a factory."""
import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def loaders(path, batch_size):
    stored = torch.load(path, map_location="cpu", weights_only=True)
    train = TensorDataset(stored["train_x"], stored["train_y"])
    val = TensorDataset(stored["val_x"], stored["val_y"])
    return DataLoader(train, batch_size, shuffle=True, drop_last=True), DataLoader(val, batch_size)


def build(accelerator, width, classes, lr):
    head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 512), nn.GELU(), nn.Linear(512, classes))
    optimizer = torch.optim.AdamW(head.parameters(), lr=lr)
    return accelerator.prepare(head, optimizer)


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--stored", default="embeddings.pt")
    cli.add_argument("--classes", type=int, default=100)
    cli.add_argument("--epochs", type=int, default=20)
    args = cli.parse_args()
    accelerator = Accelerator(mixed_precision="bf16")
    set_seed(3)
    train, val = loaders(args.stored, batch_size=256)
    val = accelerator.prepare(val)
    width = train.dataset.tensors[0].shape[1]
    head, optimizer = build(accelerator, width, args.classes, lr=1e-3)
    for epoch in range(args.epochs):
        head.train()
        for x, y in train:
            x, y = x.to(accelerator.device), y.to(accelerator.device)
            loss = nn.functional.cross_entropy(head(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        head.eval()
        right = total = 0
        for x, y in val:
            with torch.no_grad():
                guess = head(x).argmax(dim=-1)
            guess, y = accelerator.gather_for_metrics((guess, y))
            right += (guess == y).sum().item()
            total += len(y)
        accelerator.print(f"epoch {epoch}: {right / total:.4f}")
    accelerator.wait_for_everyone()
    accelerator.save(accelerator.unwrap_model(head).state_dict(), "head.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
