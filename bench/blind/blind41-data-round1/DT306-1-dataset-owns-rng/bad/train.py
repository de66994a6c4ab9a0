import lightning as L
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from crops import RandomCrops


class AutoEncoder(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 3, 3, padding=1))

    def training_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.net(batch), batch)
        self.log("train_loss", loss, on_epoch=True, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def main():
    L.seed_everything(7, workers=True)
    images = np.random.default_rng(0).random((2000, 3, 72, 72), dtype=np.float32)
    loader = DataLoader(RandomCrops(images, 64, seed=7), batch_size=32, shuffle=True, num_workers=4, drop_last=True)
    trainer = L.Trainer(accelerator="gpu", devices=4, strategy="ddp", max_epochs=5)
    trainer.fit(AutoEncoder(), loader)


if __name__ == "__main__":
    main()
