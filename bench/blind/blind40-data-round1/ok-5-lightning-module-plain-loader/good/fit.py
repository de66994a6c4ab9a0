import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset, random_split


class Tabular(L.LightningDataModule):
    def __init__(self, batch_size=64, seed=2):
        super().__init__()
        self.batch_size, self.seed = batch_size, seed

    def setup(self, stage):
        gen = torch.Generator().manual_seed(self.seed)
        x = torch.randn(5000, 16, generator=gen)
        full = TensorDataset(x, (x[:, 0] * x[:, 1] > 0).float())
        self.train, self.val = random_split(full, [4500, 500], generator=torch.Generator().manual_seed(self.seed))

    def train_dataloader(self):
        return DataLoader(self.train, self.batch_size, shuffle=True, drop_last=True, num_workers=2)

    def val_dataloader(self):
        return DataLoader(self.val, self.batch_size, num_workers=2)


class Net(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 1))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.binary_cross_entropy_with_logits(self.net(x).squeeze(-1), y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        logits = self.net(x).squeeze(-1)
        self.log("val_loss", F.binary_cross_entropy_with_logits(logits, y), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        total = self.trainer.estimated_stepping_batches
        scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, self.hparams.lr, total_steps=total)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


def main():
    L.seed_everything(7, workers=True)
    trainer = L.Trainer(
        accelerator="auto",
        devices=2,
        strategy="ddp",
        max_epochs=5,
        accumulate_grad_batches=2,
        gradient_clip_val=1.0,
        callbacks=[ModelCheckpoint(monitor="val_loss"), EarlyStopping("val_loss", patience=2)],
    )
    trainer.fit(Net(), datamodule=Tabular())


if __name__ == "__main__":
    main()
