import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from callbacks import HarderEachEpoch
from data import NoisyDigits


class Digits(L.LightningDataModule):
    def __init__(self, path):
        super().__init__()
        self.path = path

    def setup(self, stage):
        self.train_set = NoisyDigits(torch.load(self.path, map_location="cpu"))

    def train_dataloader(self):
        return DataLoader(
            self.train_set,
            batch_size=128,
            shuffle=True,
            drop_last=True,
            num_workers=4,
            persistent_workers=True,
        )


class Denoiser(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 1, 3, padding=1))

    def training_step(self, batch, _):
        noisy, clean = batch
        loss = F.mse_loss(self.net(noisy), clean)
        self.log("loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 1e-3)


def main(epochs=20):
    L.seed_everything(0)
    trainer = L.Trainer(
        accelerator="gpu",
        devices=4,
        strategy="ddp",
        max_epochs=epochs,
        callbacks=[HarderEachEpoch(0.1, 0.8, epochs)],
    )
    trainer.fit(Denoiser(), datamodule=Digits("digits.pt"))


if __name__ == "__main__":
    main()
