import argparse
from pathlib import Path

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.utilities import rank_zero_only
from torch.utils.data import DataLoader, TensorDataset


class Adapter(nn.Module):
    def __init__(self, dim, rank):
        super().__init__()
        self.down, self.up = nn.Linear(dim, rank, bias=False), nn.Linear(rank, dim, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return x + self.up(self.down(x))


class Tuned(L.LightningModule):
    def __init__(self, dim=48, rank=4, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.body = nn.Sequential(nn.Linear(10, dim), nn.GELU(), nn.Linear(dim, dim))
        self.adapter = None
        self.head = nn.Linear(dim, 3)
        self.examples = []

    def setup(self, stage):
        if stage == "fit" and self.hparams.rank > 0 and self.adapter is None:
            self.adapter = Adapter(self.hparams.dim, self.hparams.rank)
            self.body.requires_grad_(False)
        self.describe()

    @rank_zero_only
    def describe(self):
        print(sum(p.numel() for p in self.parameters() if p.requires_grad), "parameters are trained")

    def features(self, x):
        hidden = self.body(x)
        return self.adapter(hidden) if self.adapter is not None else hidden

    def training_step(self, batch, batch_idx):
        x, y = batch
        return F.cross_entropy(self.head(self.features(x)), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        guess = self.head(self.features(x)).argmax(1)
        self.log("val_acc", (guess == y).float().mean(), sync_dist=True)
        if self.global_rank == 0 and batch_idx == 0:
            self.examples = list(zip(guess.tolist(), y.tolist()))

    def on_fit_end(self):
        if self.global_rank == 0:
            Path("examples.txt").write_text("\n".join(f"{a} {b}" for a, b in self.examples))

    def configure_optimizers(self):
        return torch.optim.AdamW([p for p in self.parameters() if p.requires_grad], lr=self.hparams.lr)


def rows(n, seed):
    x = torch.randn(n, 10, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :3].argmax(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rank", type=int, default=4)
    parser.add_argument("--devices", type=int, default=2)
    args = parser.parse_args()
    L.seed_everything(4, workers=True)
    trainer = L.Trainer(devices=args.devices, strategy="ddp", max_epochs=3)
    train = DataLoader(rows(2000, 1), batch_size=50, shuffle=True, drop_last=True)
    trainer.fit(Tuned(rank=args.rank), train, DataLoader(rows(400, 2), batch_size=50))


if __name__ == "__main__":
    main()
