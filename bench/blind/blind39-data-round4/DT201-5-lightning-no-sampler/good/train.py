import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Digits(L.LightningDataModule):
    def __init__(self, batch_size=64):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage):
        gen = torch.Generator().manual_seed(14)
        x = torch.rand(20_000, 1, 28, 28, generator=gen)
        self.rows = TensorDataset(x, (x.mean(dim=(1, 2, 3)) * 20).long() % 10)

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=self.batch_size, shuffle=True, drop_last=True, num_workers=4)


class ConvNet(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(512, 10))

    def training_step(self, batch, index):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("train/loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


def trainer_options():
    return {
        "accelerator": "gpu",
        "devices": 4,
        "strategy": "ddp",
        "max_epochs": 8,
        "logger": False,
    }


if __name__ == "__main__":
    L.seed_everything(12)
    trainer = L.Trainer(**trainer_options())
    trainer.fit(ConvNet(), datamodule=Digits())
