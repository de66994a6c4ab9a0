import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset, random_split

from lit import Segmenter


def data():
    g = torch.Generator().manual_seed(0)
    image = torch.randn(256, 1, 16, 16, generator=g)
    whole = TensorDataset(image, (image[:, 0] > 0.5).long())
    return random_split(whole, [192, 64], generator=torch.Generator().manual_seed(1))


def main():
    L.seed_everything(2, workers=True)
    train, valid = data()
    callbacks = [
        ModelCheckpoint(dirpath="seg", monitor="val_iou", mode="max"),
        EarlyStopping(monitor="val_loss", patience=3),
    ]
    trainer = L.Trainer(
        accelerator="cpu", devices=2, strategy="ddp", max_epochs=2, callbacks=callbacks, logger=False
    )
    trainer.fit(
        Segmenter(),
        DataLoader(train, batch_size=16, shuffle=True, drop_last=True),
        DataLoader(valid, batch_size=16),
    )


if __name__ == "__main__":
    main()
