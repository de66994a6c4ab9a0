import argparse

import lightning as L
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from masking import MaskCollator

VOCAB, MASK = 50, 49


class Sequences(Dataset):
    def __init__(self, n=512, length=16):
        g = torch.Generator().manual_seed(1)
        self.rows = torch.randint(0, MASK, (n, length), generator=g)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Masked(L.LightningModule):
    def __init__(self, width=32, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.embed = torch.nn.Embedding(VOCAB, width)
        self.mix = torch.nn.TransformerEncoderLayer(width, 2, 2 * width, batch_first=True)
        self.head = torch.nn.Linear(width, VOCAB)

    def training_step(self, batch, _):
        logits = self.head(self.mix(self.embed(batch["tokens"])))
        loss = F.cross_entropy(logits.flatten(0, 1), batch["labels"].flatten(), ignore_index=-100)
        self.log("train/loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


class Text(L.LightningDataModule):
    def __init__(self, batch, workers, seed):
        super().__init__()
        self.batch, self.workers, self.seed = batch, workers, seed

    def train_dataloader(self):
        collate = MaskCollator(MASK, 0.15, self.seed + self.trainer.global_rank)
        return DataLoader(
            Sequences(), self.batch, shuffle=True, num_workers=self.workers, collate_fn=collate, drop_last=True
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    L.seed_everything(3, workers=True)
    trainer = L.Trainer(
        accelerator="cpu", devices=args.devices, strategy="ddp", max_epochs=1, logger=False, enable_checkpointing=False
    )
    trainer.fit(Masked(), datamodule=Text(16, args.workers, seed=3))
