import argparse

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

from module import Regressor
from watch import WeightWatch


def loaders(batch):
    x = torch.randn(256, 4, generator=torch.Generator().manual_seed(0))
    y = x.mean(dim=1, keepdim=True)
    train, valid = TensorDataset(x[:192], y[:192]), TensorDataset(x[192:], y[192:])
    return DataLoader(train, batch, shuffle=True, drop_last=True), DataLoader(valid, batch)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--accelerator", default="auto")
    args = parser.parse_args()
    L.seed_everything(3)
    trainer = L.Trainer(
        max_epochs=2,
        devices=args.devices,
        accelerator=args.accelerator,
        strategy="ddp",
        callbacks=[WeightWatch()],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
    )
    train, valid = loaders(16)
    trainer.fit(Regressor(), train, valid)


if __name__ == "__main__":
    main()
