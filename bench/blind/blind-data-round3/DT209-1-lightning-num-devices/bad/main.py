import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F

from data import Boxes


class Area(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        return F.mse_loss(self.net(x)[:, 0], y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_mse", F.mse_loss(self.net(x)[:, 0], y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def main():
    trainer = L.Trainer(accelerator="gpu", devices=8, num_nodes=4, strategy="ddp", max_epochs=20)
    trainer.fit(Area(), datamodule=Boxes())


if __name__ == "__main__":
    main()
