import lightning as L
import torch
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch.utils.data import DataLoader, TensorDataset

from model import Regressor


def train_loader(batch_size=16):
    x = torch.randn(320, 9, generator=torch.Generator().manual_seed(0))
    return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size, shuffle=True, drop_last=True)


def main():
    L.seed_everything(5, workers=True)
    trainer = L.Trainer(
        max_epochs=2,
        accelerator="auto",
        devices=2,
        strategy="ddp",
        logger=CSVLogger("logs"),
        callbacks=[LearningRateMonitor(), ModelCheckpoint("ckpt", save_last=True)],
    )
    trainer.fit(Regressor(), train_loader())


if __name__ == "__main__":
    main()
