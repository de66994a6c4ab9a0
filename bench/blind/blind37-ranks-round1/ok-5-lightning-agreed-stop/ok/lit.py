import time

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.utilities import rank_zero_info
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(L.LightningModule):
    def __init__(self, width=24):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(10, width), nn.ReLU(), nn.Linear(width, 1))

    def training_step(self, batch, _):
        x, y = batch
        return F.mse_loss(self.net(x), y)

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val_mse", F.mse_loss(self.net(x), y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


class LeaveInTime(L.Callback):
    def __init__(self, seconds):
        self.seconds = seconds

    def on_train_start(self, trainer, module):
        self.began = time.monotonic()

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        if batch_idx % 20:
            return
        late = time.monotonic() - self.began > self.seconds
        if trainer.strategy.reduce_boolean_decision(late, all=False):
            rank_zero_info("time is up")
            trainer.should_stop = True


class Data(L.LightningDataModule):
    def setup(self, stage):
        x = torch.randn(1200, 10, generator=torch.Generator().manual_seed(15))
        y = x.pow(2).sum(1, keepdim=True)
        self.train, self.valid = TensorDataset(x[:1000], y[:1000]), TensorDataset(x[1000:], y[1000:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=20, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.valid, batch_size=20)


def main():
    L.seed_everything(5, workers=True)
    trainer = L.Trainer(
        accelerator="auto", devices=2, strategy="ddp", max_epochs=3, callbacks=[LeaveInTime(3000)], logger=False
    )
    trainer.fit(Regressor(), datamodule=Data())
    trainer.save_checkpoint("regressor.ckpt")


if __name__ == "__main__":
    main()
