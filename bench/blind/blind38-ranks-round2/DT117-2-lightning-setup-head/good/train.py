import argparse

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def tiles(n, seed):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 3, 12, 12, generator=gen)
    return TensorDataset(x, x.mean(dim=(1, 2, 3)).mul(20).round().long().clamp(-2, 2) + 2)


class TileNet(L.LightningModule):
    def __init__(self, dim=32, lr=1e-3, rotation=True):
        super().__init__()
        self.save_hyperparameters()
        self.body = nn.Sequential(nn.Conv2d(3, dim, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(dim, 5)
        self.rotation_head = None

    def setup(self, stage):
        """The head of the pretext task exists while we fit, and is not part of what is exported."""
        if stage == "fit" and self.hparams.rotation:
            self.rotation_head = nn.Linear(self.hparams.dim, 4)
            self.print(f"pretext head with {sum(p.numel() for p in self.rotation_head.parameters())} parameters")

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.head(self.body(x)), y)
        if self.rotation_head is not None:
            turns = torch.arange(len(x), device=x.device) % 4
            turned = torch.stack([torch.rot90(one, int(k), (1, 2)) for one, k in zip(x, turns)])
            loss = loss + 0.1 * F.cross_entropy(self.rotation_head(self.body(turned)), turns)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_acc", (self.head(self.body(x)).argmax(1) == y).float().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    L.seed_everything(15, workers=True)
    train = DataLoader(tiles(3000, 1), batch_size=50, shuffle=True, drop_last=True)
    valid = DataLoader(tiles(500, 2), batch_size=50)
    trainer = L.Trainer(devices=args.devices, strategy="ddp", max_epochs=args.epochs)
    trainer.fit(TileNet(), train, valid)


if __name__ == "__main__":
    main()
