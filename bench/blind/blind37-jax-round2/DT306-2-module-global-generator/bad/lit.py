import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader

from images import Erased


class Small(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Conv2d(3, 32, 3, stride=2), nn.ReLU(), nn.Conv2d(32, 64, 3, stride=2), nn.ReLU(),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10),
        )

    def training_step(self, batch, batch_index):
        images, labels = batch
        loss = nn.functional.cross_entropy(self.net(images), labels)
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


class Data(L.LightningDataModule):
    def __init__(self, path, batch_size=64, num_workers=8):
        super().__init__()
        self.path, self.batch_size, self.num_workers = path, batch_size, num_workers

    def setup(self, stage):
        held = torch.load(self.path, map_location="cpu")
        self.train = Erased(held["images"], held["labels"])

    def train_dataloader(self):
        return DataLoader(self.train, self.batch_size, shuffle=True, num_workers=self.num_workers, drop_last=True)


def main():
    L.seed_everything(7, workers=True)
    trainer = L.Trainer(accelerator="gpu", devices=4, strategy="ddp", max_epochs=20)
    trainer.fit(Small(), datamodule=Data("cifar.pt"))


if __name__ == "__main__":
    main()
