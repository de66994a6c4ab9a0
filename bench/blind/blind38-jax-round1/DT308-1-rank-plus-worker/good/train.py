import os

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, Dataset

from seeding import WorkerSeeder


class JitteredPoints(Dataset):
    """Point clouds, turned and shaken anew each time they are read."""

    def __init__(self, path):
        self.clouds = np.load(path, mmap_mode="r")

    def __len__(self):
        return len(self.clouds)

    def __getitem__(self, index):
        cloud = np.array(self.clouds[index], dtype=np.float32)
        angle = np.random.uniform(0, 2 * np.pi)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], dtype=np.float32)
        noisy = cloud.copy()
        noisy[:, :2] = noisy[:, :2] @ turn
        noisy += np.random.normal(0, 0.01, noisy.shape).astype(np.float32)
        return torch.from_numpy(noisy), torch.from_numpy(cloud)


class Points(L.LightningDataModule):
    def __init__(self, path, batch_size, workers, seed):
        super().__init__()
        self.save_hyperparameters()

    def train_dataloader(self):
        hp = self.hparams
        return DataLoader(
            JitteredPoints(hp.path),
            batch_size=hp.batch_size,
            shuffle=True,
            drop_last=True,
            num_workers=hp.workers,
            persistent_workers=True,
            worker_init_fn=WorkerSeeder(hp.seed, self.trainer.global_rank, hp.workers),
        )


class Autoencoder(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.encode = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 16))
        self.decode = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 3))

    def training_step(self, batch, _):
        noisy, clean = batch
        loss = F.mse_loss(self.decode(self.encode(noisy)), clean)
        self.log("train/loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


def main():
    L.seed_everything(17)
    data = Points(os.environ.get("POINTS", "points.npy"), batch_size=64, workers=4, seed=17)
    trainer = L.Trainer(
        accelerator="gpu", devices=4, strategy="ddp", max_epochs=50, callbacks=[ModelCheckpoint(monitor="train/loss")]
    )
    trainer.fit(Autoencoder(), datamodule=data)


if __name__ == "__main__":
    main()
