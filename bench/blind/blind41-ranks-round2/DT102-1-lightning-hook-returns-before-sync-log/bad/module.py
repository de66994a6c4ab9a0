import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Forecaster(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 16, batch_first=True)
        self.out = nn.Linear(16, 1)
        self.errors = []

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])

    def training_step(self, batch, batch_idx):
        x, y = batch
        return F.mse_loss(self(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.errors.append((self(x) - y).abs().flatten())

    def on_validation_epoch_end(self):
        error = torch.cat(self.errors)
        self.errors.clear()
        if self.trainer.global_rank != 0:
            return
        self.log("val_mae", error.mean(), sync_dist=True)
        print(f"worst error here: {error.max().item():.3f}")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def series(n, seed):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 30, 4, generator=gen).cumsum(dim=1)
    return TensorDataset(x, x[:, -1, :1] * 0.9)


if __name__ == "__main__":
    L.seed_everything(0)
    trainer = L.Trainer(max_epochs=4, devices=2, accelerator="gpu", strategy="ddp")
    trainer.fit(
        Forecaster(),
        DataLoader(series(2048, 1), batch_size=32, shuffle=True, drop_last=True),
        DataLoader(series(512, 2), batch_size=32),
    )
