"""LightningModule with a hand-written F1; the best checkpoint is chosen by it."""
import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Detector(L.LightningModule):
    def __init__(self, width=50, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, 1), nn.Flatten(0))

    def training_step(self, batch, index):
        x, y = batch
        loss = nn.functional.binary_cross_entropy_with_logits(self.net(x), y)
        self.log("train_loss", loss)
        return loss

    def on_validation_epoch_start(self):
        self.counts = torch.zeros(3, device=self.device)

    def validation_step(self, batch, index):
        x, y = batch
        guess, truth = self.net(x) > 0, y > 0.5
        self.counts += torch.stack([(guess & truth).sum(), (guess & ~truth).sum(), (~guess & truth).sum()])

    def on_validation_epoch_end(self):
        hit, false, missed = self.counts
        self.log("val_f1", 2 * hit / (2 * hit + false + missed).clamp_min(1), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


class Events(L.LightningDataModule):
    def __init__(self, batch_size=128):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage):
        g = torch.Generator().manual_seed(0)
        x = torch.randn(10_000, 50, generator=g)
        rows = TensorDataset(x, (x[:, 0] + x[:, 1] > 1.5).float())
        self.train, self.val = random_split(rows, [8000, 2000], generator=g)

    def train_dataloader(self):
        return DataLoader(self.train, self.batch_size, shuffle=True, num_workers=2)

    def val_dataloader(self):
        return DataLoader(self.val, self.batch_size, num_workers=2)


def main():
    L.seed_everything(1, workers=True)
    best = ModelCheckpoint(monitor="val_f1", mode="max", save_top_k=1, filename="best")
    trainer = L.Trainer(
        accelerator="gpu", devices=4, num_nodes=2, strategy="ddp", max_epochs=20, callbacks=[best], gradient_clip_val=1.0
    )
    trainer.fit(Detector(), datamodule=Events())


if __name__ == "__main__":
    main()
