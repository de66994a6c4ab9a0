import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset

from module import Forecaster


def series(n, seed):
    g = torch.Generator().manual_seed(seed)
    waves = torch.sin(torch.arange(30) * (0.1 + torch.rand(n, 1, generator=g)))
    return TensorDataset(waves[:, :24], waves[:, 24:])


def main():
    L.seed_everything(3)
    best = ModelCheckpoint(monitor="val_loss", mode="min", save_top_k=1, filename="best")
    trainer = L.Trainer(max_epochs=5, accelerator="auto", devices=2, strategy="ddp", callbacks=[best])
    trainer.fit(
        Forecaster(),
        DataLoader(series(1600, 0), batch_size=32, shuffle=True, drop_last=True),
        DataLoader(series(400, 1), batch_size=50),
    )


if __name__ == "__main__":
    main()
