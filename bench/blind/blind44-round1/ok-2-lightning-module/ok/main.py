import lightning as L
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint

from lit.data import Toy
from lit.module import Regressor


def main():
    L.seed_everything(1, workers=True)
    trainer = L.Trainer(
        max_epochs=5,
        strategy="ddp",
        devices=2,
        accelerator="cpu",
        callbacks=[ModelCheckpoint(monitor="val/mae"), EarlyStopping("val/mae", patience=3)],
    )
    trainer.fit(Regressor(), datamodule=Toy())


if __name__ == "__main__":
    main()
