import argparse

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from callbacks import ParameterNorm, TimedCheckpoint


class Forecast(L.LightningModule):
    def __init__(self, width=32, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(12, width), nn.GELU(), nn.Linear(width, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.mse_loss(self.net(x), y)
        self.log("train_loss", loss, sync_dist=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.mse_loss(self.net(x), y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


class Series(L.LightningDataModule):
    def __init__(self, batch_size):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage):
        g = torch.Generator().manual_seed(0)
        x = torch.randn(512, 12, generator=g).cumsum(1)
        y = x[:, -1:] + 0.1 * torch.randn(512, 1, generator=g)
        self.train = TensorDataset(x[:384], y[:384])
        self.val = TensorDataset(x[384:], y[384:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=self.batch_size)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--accelerator", default="cpu")
    parser.add_argument("--every-seconds", type=float, default=600.0)
    args = parser.parse_args()
    L.seed_everything(1, workers=True)
    trainer = L.Trainer(
        max_epochs=2,
        accelerator=args.accelerator,
        devices=args.devices,
        strategy="ddp",
        logger=False,
        enable_checkpointing=False,
        callbacks=[TimedCheckpoint("timed", args.every_seconds), ParameterNorm()],
    )
    trainer.fit(Forecast(), datamodule=Series(16))


if __name__ == "__main__":
    main()
