import json
from pathlib import Path

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback
from torch.utils.data import DataLoader, TensorDataset


def blobs(n=1200, seed=2):
    gen = torch.Generator().manual_seed(seed)
    centre = torch.randint(0, 4, (n,), generator=gen)
    return TensorDataset(centre.unsqueeze(1) + 0.3 * torch.randn(n, 6, generator=gen), centre)


class Net(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 4))

    def training_step(self, batch, batch_idx):
        x, y = batch
        return F.cross_entropy(self.net(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.cross_entropy(self.net(x), y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


class Provenance(Callback):
    """Writes down what was trained, beside the logs of the run."""

    def __init__(self, extra=None):
        self.extra = extra or {}

    def on_fit_start(self, trainer, pl_module):
        if trainer.is_global_zero:
            folder = Path(trainer.log_dir)
            folder.mkdir(parents=True, exist_ok=True)
            facts = {
                "world_size": trainer.world_size,
                "max_epochs": trainer.max_epochs,
                "parameters": sum(p.numel() for p in pl_module.parameters()),
                "torch": torch.__version__,
                **self.extra,
            }
            (folder / "provenance.json").write_text(json.dumps(facts, indent=2))


def main():
    L.seed_everything(3, workers=True)
    trainer = L.Trainer(
        accelerator="auto",
        devices=2,
        strategy="ddp",
        max_epochs=4,
        callbacks=[Provenance({"dataset": "blobs-v2"})],
    )
    train = DataLoader(blobs(), batch_size=64, shuffle=True, drop_last=True)
    valid = DataLoader(blobs(300, seed=6), batch_size=64)
    trainer.fit(Net(), train, valid)


if __name__ == "__main__":
    main()
