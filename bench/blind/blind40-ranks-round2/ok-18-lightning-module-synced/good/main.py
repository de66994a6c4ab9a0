import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset

from module import Regressor


class Rows(L.LightningDataModule):
    def __init__(self, batch_size=32):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage):
        x = torch.randn(1280, 12, generator=torch.Generator().manual_seed(4))
        y = x.pow(2).mean(1, keepdim=True)
        self.train, self.val = TensorDataset(x[:1024], y[:1024]), TensorDataset(x[1024:], y[1024:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=self.batch_size)


def main():
    L.seed_everything(1)
    trainer = L.Trainer(
        max_epochs=6,
        accelerator="auto",
        devices=2,
        strategy="ddp",
        callbacks=[ModelCheckpoint(monitor="val/loss", save_top_k=2), EarlyStopping("val/loss", patience=3)],
    )
    trainer.fit(Regressor(), datamodule=Rows())


if __name__ == "__main__":
    main()
