import lightning as L
import torch
from lightning.pytorch.utilities import rank_zero_only
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Curves(L.LightningDataModule):
    def __init__(self, batch_size=32):
        super().__init__()
        self.batch_size = batch_size

    def _make(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        x = torch.rand(n, 1, generator=g) * 3
        return TensorDataset(x, torch.sin(3 * x))

    def setup(self, stage):
        self.train_data, self.val_data = self._make(1200, 0), self._make(240, 1)

    def train_dataloader(self):
        return DataLoader(self.train_data, self.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val_data, self.batch_size)


class Fit(L.LightningModule):
    def __init__(self, width=40, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, 1))
        self.worst = 0.0

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self(x), y)
        self.log("train/loss", loss, on_step=True)
        return loss

    def on_validation_epoch_start(self):
        self.worst = 0.0

    def validation_step(self, batch, batch_idx):
        x, y = batch
        errors = (self(x) - y).abs()
        self.worst = max(self.worst, errors.max().item())
        self.log("val/mae", errors.mean(), sync_dist=True)

    @rank_zero_only
    def on_validation_epoch_end(self):
        self.log("val/worst", self.worst, sync_dist=True, reduce_fx="max")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


def main():
    L.seed_everything(0)
    trainer = L.Trainer(max_epochs=3, accelerator="auto", devices=2, strategy="ddp", logger=False)
    trainer.fit(Fit(), datamodule=Curves())


if __name__ == "__main__":
    main()
