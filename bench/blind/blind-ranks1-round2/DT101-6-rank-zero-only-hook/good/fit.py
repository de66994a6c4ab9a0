import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

from module import Classifier


def loaders(batch_size=16):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(480, 20, generator=g)
    y = x[:, :5].argmax(1)
    train = DataLoader(TensorDataset(x[:320], y[:320]), batch_size, shuffle=True, drop_last=True)
    return train, DataLoader(TensorDataset(x[320:], y[320:]), batch_size)


def main():
    L.seed_everything(0)
    train, val = loaders()
    trainer = L.Trainer(
        max_epochs=2, accelerator="cpu", devices=2, strategy="ddp", logger=False, num_sanity_val_steps=0
    )
    trainer.fit(Classifier(), train, val)


if __name__ == "__main__":
    main()
