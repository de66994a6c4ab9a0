import math

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Sampler, TensorDataset


class BalancedDistributedSampler(Sampler):
    def __init__(self, weights, rank, world_size, seed=0):
        self.weights = torch.as_tensor(weights, dtype=torch.double)
        self.rank, self.world_size, self.seed = rank, world_size, seed
        self.epoch = 0
        self.share = math.floor(len(weights) / world_size)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return self.share

    def __iter__(self):
        gen = torch.Generator().manual_seed(self.seed + self.epoch)
        drawn = torch.multinomial(self.weights, self.share * self.world_size, replacement=True, generator=gen)
        return iter(drawn[self.rank :: self.world_size].tolist())


class Rare(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(25, 50), nn.ReLU(), nn.Linear(50, 1))
        gen = torch.Generator().manual_seed(10)
        x = torch.randn(20_000, 25, generator=gen)
        self.rows = TensorDataset(x, (x[:, 0] > 1.5).float())

    def train_dataloader(self):
        labels = self.rows.tensors[1]
        share = labels.mean()
        weights = torch.where(labels > 0, 1 / share, 1 / (1 - share))
        sampler = BalancedDistributedSampler(weights, self.trainer.global_rank, self.trainer.world_size, seed=3)
        return DataLoader(self.rows, batch_size=64, sampler=sampler, drop_last=True, num_workers=2)

    def training_step(self, batch, index):
        x, y = batch
        loss = F.binary_cross_entropy_with_logits(self.net(x).squeeze(-1), y)
        self.log("train/bce", loss, sync_dist=True, prog_bar=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


if __name__ == "__main__":
    L.seed_everything(6)
    trainer = L.Trainer(accelerator="gpu", devices=4, strategy="ddp", max_epochs=5, use_distributed_sampler=False)
    trainer.fit(Rare())
