import argparse
import random

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from seeding import WorkerSeeder


class Shapes(Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, i):
        size = 1 + i % 4
        at = random.randrange(0, 12 - size)
        x = np.random.normal(scale=0.1, size=12).astype(np.float32)
        x[at : at + size] += 1.0
        return x, size - 1


class Counter(L.LightningModule):
    def __init__(self, seed, workers):
        super().__init__()
        self.save_hyperparameters()
        self.net = torch.nn.Sequential(torch.nn.Linear(12, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("loss", loss, sync_dist=True)
        return loss

    def train_dataloader(self):
        seeder = WorkerSeeder(self.hparams.seed, self.global_rank)
        return DataLoader(
            Shapes(), 16, shuffle=True, num_workers=self.hparams.workers, worker_init_fn=seeder, drop_last=True
        )

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    L.seed_everything(args.seed)
    trainer = L.Trainer(
        accelerator="cpu", devices=2, strategy="ddp", max_epochs=1, logger=False, enable_checkpointing=False
    )
    trainer.fit(Counter(args.seed, args.workers))
