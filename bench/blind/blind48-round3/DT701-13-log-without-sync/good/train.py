import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset

from module import Classifier


def synthetic_classification(n=320, dim=20, classes=5):
    gen = torch.Generator().manual_seed(2024)
    feats = torch.randn(n, dim, generator=gen)
    weight = torch.randn(dim, classes, generator=gen)
    return TensorDataset(feats, (feats @ weight).argmax(dim=1))


def main():
    L.seed_everything(1, workers=True)
    data = synthetic_classification(n=1280)
    train = DataLoader(torch.utils.data.Subset(data, range(1024)), batch_size=32, shuffle=True, drop_last=True)
    val = DataLoader(torch.utils.data.Subset(data, range(1024, 1280)), batch_size=32)
    keep = ModelCheckpoint(monitor="val_acc", mode="max", save_top_k=1)
    trainer = L.Trainer(accelerator="auto", devices=2, strategy="ddp", max_epochs=3, callbacks=[keep])
    trainer.fit(Classifier(), train, val)


if __name__ == "__main__":
    main()
