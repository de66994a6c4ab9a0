import argparse

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Tabular(L.LightningModule):
    def __init__(self, features, classes):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(features, 256), nn.ReLU(), nn.Dropout(0.1), nn.Linear(256, classes))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("train_loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)
        return [optimizer], [torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, self.trainer.max_epochs)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args()
    L.seed_everything(1)
    saved = torch.load("table.pt", map_location="cpu")
    loader = DataLoader(TensorDataset(saved["x"], saved["y"]), 256, shuffle=True, num_workers=6, drop_last=True)
    trainer = L.Trainer(
        accelerator="gpu",
        devices=8,
        num_nodes=2,
        strategy="ddp",
        max_epochs=args.epochs,
        callbacks=[ModelCheckpoint(monitor="train_loss", save_top_k=1)],
    )
    trainer.fit(Tabular(saved["x"].size(1), 12), loader)


if __name__ == "__main__":
    main()
