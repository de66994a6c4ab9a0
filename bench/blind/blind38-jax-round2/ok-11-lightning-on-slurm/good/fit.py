import os

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Masked(Dataset):
    def __init__(self, path):
        self.rows = np.load(path, mmap_mode="r")

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = torch.from_numpy(np.asarray(self.rows[i], dtype=np.int64))
        hide = torch.from_numpy(np.random.rand(len(row)) < 0.15)
        return torch.where(hide, 31, row), torch.where(hide, row, -100)


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(32, 64)
        layer = nn.TransformerEncoderLayer(64, 4, 256, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(64, 32)

    def training_step(self, batch, _):
        tokens, target = batch
        logits = self.head(self.body(self.embed(tokens)))
        loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-100)
        self.log("loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=3e-4)


def main():
    L.seed_everything(7, workers=True)
    data = Masked(os.path.join(os.environ["PROTEIN_CACHE"], "rows.npy"))
    loader = DataLoader(data, 64, shuffle=True, drop_last=True, num_workers=8, persistent_workers=True)
    trainer = L.Trainer(accelerator="gpu", devices=4, num_nodes=4, strategy="ddp", max_epochs=10)
    trainer.fit(Model(), loader)


if __name__ == "__main__":
    main()
