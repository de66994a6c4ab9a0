import lightning.pytorch as pl
import numpy as np
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset


class Galaxies(pl.LightningDataModule):
    def __init__(self, path, batch_size=128):
        super().__init__()
        self.path, self.batch_size = path, batch_size

    def setup(self, stage):
        table = np.load(self.path, mmap_mode="r")
        held = len(table) // 10
        self.held = self.tensors(table[:held])
        self.train = self.tensors(table[held:])

    @staticmethod
    def tensors(rows):
        rows = torch.from_numpy(np.array(rows, dtype=np.float32))
        return TensorDataset(rows[:, :-1], rows[:, -1])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True, num_workers=4, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.held, batch_size=self.batch_size, num_workers=4)


class Redshift(pl.LightningModule):
    def __init__(self, features=12):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(features, 64), torch.nn.SiLU(), torch.nn.Linear(64, 1))

    def loss(self, batch):
        x, z = batch
        return torch.nn.functional.smooth_l1_loss(self.net(x).squeeze(1), z)

    def training_step(self, batch, index):
        loss = self.loss(batch)
        self.log("train", loss)
        return loss

    def validation_step(self, batch, index):
        self.log("val", self.loss(batch), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


if __name__ == "__main__":
    pl.seed_everything(1)
    trainer = pl.Trainer(
        accelerator="gpu", devices=4, num_nodes=2, strategy="ddp", max_epochs=40, callbacks=[ModelCheckpoint(monitor="val")]
    )
    trainer.fit(Redshift(), datamodule=Galaxies("/shared/galaxies.npy"))
