import argparse
import traceback
from pathlib import Path

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    """Fixed windows of audio features; a damaged file raises while it is read."""

    def __init__(self, root, frames=64):
        self.files = sorted(Path(root).glob("*.pt"))
        self.frames = frames

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        item = torch.load(self.files[index], map_location="cpu")
        return item["mel"][: self.frames], item["label"]


class Classifier(L.LightningModule):
    def __init__(self, mels=40, classes=12, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = nn.GRU(mels, 128, batch_first=True)
        self.head = nn.Linear(128, classes)

    def forward(self, mel):
        out, _ = self.rnn(mel)
        return self.head(out[:, -1])

    def training_step(self, batch, batch_idx):
        mel, label = batch
        loss = F.cross_entropy(self(mel), label)
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


class CrashReport(Callback):
    """Keeps what a failed run leaves behind."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def on_exception(self, trainer, pl_module, exception):
        where = self.folder / f"rank{trainer.global_rank:04d}"
        where.mkdir(parents=True, exist_ok=True)
        (where / "error.txt").write_text("".join(traceback.format_exception(exception)))
        trainer.save_checkpoint(self.folder / "crash.ckpt")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default="clips")
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--nodes", type=int, default=1)
    args = parser.parse_args()
    L.seed_everything(7, workers=True)
    loader = DataLoader(Clips(args.root), batch_size=24, shuffle=True, num_workers=4, drop_last=True)
    trainer = L.Trainer(
        devices=args.devices,
        num_nodes=args.nodes,
        strategy="ddp",
        max_epochs=20,
        callbacks=[CrashReport("crashes"), ModelCheckpoint(dirpath="ckpts", save_last=True)],
    )
    trainer.fit(Classifier(), loader)


if __name__ == "__main__":
    main()
