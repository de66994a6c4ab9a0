import json
from pathlib import Path

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from lightning.pytorch.utilities import rank_zero_only
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics.classification import MulticlassAccuracy


def digits(n, seed):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 64, generator=gen)
    return TensorDataset(x, x[:, :10].argmax(dim=1))


class Net(L.LightningModule):
    def __init__(self, lr=3e-3):
        super().__init__()
        self.save_hyperparameters()
        self.body = nn.Sequential(nn.Linear(64, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Linear(128, 10))
        self.accuracy = MulticlassAccuracy(num_classes=10)

    def training_step(self, batch, index):
        x, y = batch
        loss = F.cross_entropy(self.body(x), y)
        self.log("train/loss", loss)
        return loss

    def validation_step(self, batch, index):
        x, y = batch
        self.accuracy(self.body(x), y)
        self.log("val/accuracy", self.accuracy, on_epoch=True, prog_bar=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=0.1, total_steps=int(self.trainer.estimated_stepping_batches)
        )
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}


class Summary(Callback):
    def __init__(self, path):
        self.path = Path(path)
        self.history = []

    def on_validation_epoch_end(self, trainer, pl_module):
        value = trainer.callback_metrics.get("val/accuracy")
        if value is not None:
            self.history.append(float(value))

    @rank_zero_only
    def on_fit_end(self, trainer, pl_module):
        self.path.write_text(json.dumps(self.history))


def main():
    L.seed_everything(2)
    trainer = L.Trainer(
        accelerator="gpu",
        devices=2,
        num_nodes=2,
        strategy="ddp",
        sync_batchnorm=True,
        max_epochs=5,
        callbacks=[ModelCheckpoint(monitor="val/accuracy", mode="max"), Summary("history.json")],
    )
    trainer.fit(
        Net(),
        DataLoader(digits(8192, 0), batch_size=64, shuffle=True, drop_last=True, num_workers=2),
        DataLoader(digits(1024, 1), batch_size=64, num_workers=2),
    )


if __name__ == "__main__":
    main()
