import argparse

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class LogRegressor(L.LightningModule):
    def __init__(self, width=32, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(9, width), nn.Softplus(), nn.Linear(width, 1))
        self.skipped = 0

    def finite_everywhere(self, loss):
        return self.trainer.strategy.reduce_boolean_decision(bool(torch.isfinite(loss)), all=True)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.gaussian_nll_loss(self.net(x), y, y.square().clamp(min=1e-6))
        if not self.finite_everywhere(loss):
            self.skipped += 1
            return None
        self.log("train_nll", loss, sync_dist=True, on_step=False, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


class Rows(L.LightningDataModule):
    def __init__(self, batch_size):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage=None):
        x = torch.randn(960, 9, generator=torch.Generator().manual_seed(20))
        self.train = TensorDataset(x, x.exp().sum(1, keepdim=True).log())

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True, drop_last=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--devices", type=int, default=2)
    ap.add_argument("--epochs", type=int, default=2)
    args = ap.parse_args()
    L.seed_everything(3, workers=True)
    trainer = L.Trainer(devices=args.devices, strategy="ddp", max_epochs=args.epochs, logger=False)
    trainer.fit(LogRegressor(), datamodule=Rows(batch_size=24))
    trainer.save_checkpoint("nll.ckpt")


if __name__ == "__main__":
    main()
