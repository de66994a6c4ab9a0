"""LightningModule + DataModule + callbacks."""
import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from lightning.pytorch.utilities import rank_zero_info, rank_zero_only
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split
from torchmetrics.classification import MulticlassAccuracy


class Toy(L.LightningDataModule):
    def __init__(self, folder: str = "data", batch_size: int = 64):
        super().__init__()
        self.save_hyperparameters()

    def prepare_data(self):
        torch.save(torch.randn(1000, 20), f"{self.hparams.folder}/x.pt")

    def setup(self, stage: str):
        x = torch.load(f"{self.hparams.folder}/x.pt")
        y = (x.sum(1) > 0).long()
        whole = TensorDataset(x, y)
        self.train, self.val = random_split(whole, [800, 200], generator=torch.Generator().manual_seed(7))

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.hparams.batch_size, shuffle=True, num_workers=4, persistent_workers=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=self.hparams.batch_size, num_workers=4)


class Classifier(L.LightningModule):
    def __init__(self, width: int = 64, lr: float = 1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(20, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, 2))
        self.train_accuracy = MulticlassAccuracy(2)
        self.val_accuracy = MulticlassAccuracy(2)

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        loss = nn.functional.cross_entropy(logits, y)
        self.train_accuracy(logits, y)
        self.log("train/loss", loss, prog_bar=True)
        self.log("train/acc", self.train_accuracy, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.val_accuracy.update(logits, y)
        self.log("val/loss", nn.functional.cross_entropy(logits, y), sync_dist=True)
        self.log("val/acc", self.val_accuracy, on_epoch=True)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, self.hparams.lr, total_steps=self.trainer.estimated_stepping_batches)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


class WeightNorm(Callback):
    def on_train_epoch_end(self, trainer, pl_module):
        norm = sum(p.detach().norm() ** 2 for p in pl_module.parameters()) ** 0.5
        pl_module.log("weight_norm", norm)
        self.report(trainer.current_epoch, norm)

    @rank_zero_only
    def report(self, epoch, norm):
        with open("norms.csv", "a") as f:
            f.write(f"{epoch},{norm.item()}\n")


def main():
    L.seed_everything(3, workers=True)
    data = Toy()
    model = Classifier()
    best = ModelCheckpoint(monitor="val/acc", mode="max", save_top_k=2)
    trainer = L.Trainer(
        accelerator="gpu", devices=4, num_nodes=2, strategy="ddp", max_epochs=10, precision="16-mixed",
        gradient_clip_val=1.0, accumulate_grad_batches=2, logger=CSVLogger("logs"),
        callbacks=[best, EarlyStopping("val/loss", patience=3), LearningRateMonitor(), WeightNorm()],
    )
    trainer.fit(model, datamodule=data)
    if trainer.is_global_zero:
        trainer.save_checkpoint("last.ckpt")
    rank_zero_info(f"best {best.best_model_path}")
    trainer.validate(model, datamodule=data, ckpt_path="best")


if __name__ == "__main__":
    main()
