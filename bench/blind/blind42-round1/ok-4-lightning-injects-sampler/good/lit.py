import argparse

import lightning as L
import torch
import torch.nn as nn
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset


class Signals(L.LightningDataModule):
    def __init__(self, path, batch=64):
        super().__init__()
        self.path, self.batch = path, batch

    def setup(self, stage):
        blob = torch.load(self.path, map_location="cpu")
        self.fit_set, self.val_set = TensorDataset(*blob["fit"]), TensorDataset(*blob["val"])

    def train_dataloader(self):
        return DataLoader(self.fit_set, self.batch, shuffle=True, num_workers=4, persistent_workers=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, 4 * self.batch, num_workers=2)


class Classifier(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Conv1d(4, 32, 7), nn.ReLU(), nn.AdaptiveAvgPool1d(8), nn.Flatten(), nn.Linear(256, 6))

    def training_step(self, batch, _):
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        logits = self.net(x)
        self.log("val/loss", nn.functional.cross_entropy(logits, y), sync_dist=True)
        self.log("val/acc", (logits.argmax(1) == y).float().mean(), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        return [optimizer], [torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, self.trainer.max_epochs)]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", required=True)
    ap.add_argument("--devices", type=int, default=4)
    args = ap.parse_args()
    L.seed_everything(3, workers=True)
    keep = ModelCheckpoint(dirpath="ckpt", monitor="val/loss", save_top_k=2)
    stop = EarlyStopping(monitor="val/loss", patience=4)
    trainer = L.Trainer(accelerator="gpu", devices=args.devices, strategy="ddp", max_epochs=40, callbacks=[keep, stop])
    trainer.fit(Classifier(), datamodule=Signals(args.data))
    trainer.save_checkpoint("final.ckpt")


if __name__ == "__main__":
    main()
