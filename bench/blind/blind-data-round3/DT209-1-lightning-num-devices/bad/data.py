import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Boxes(L.LightningDataModule):
    def __init__(self, global_batch_size: int = 256, workers: int = 4):
        super().__init__()
        self.global_batch_size = global_batch_size
        self.workers = workers

    @property
    def batch_size(self):
        return self.global_batch_size // self.trainer.num_devices

    def setup(self, stage):
        g = torch.Generator().manual_seed(0)
        corners = torch.rand(8192, 4, generator=g)
        area = (corners[:, 2:] - corners[:, :2]).abs().prod(1)
        self.train_set = TensorDataset(corners[:7000], area[:7000])
        self.val_set = TensorDataset(corners[7000:], area[7000:])

    def train_dataloader(self):
        return DataLoader(
            self.train_set, batch_size=self.batch_size, shuffle=True, num_workers=self.workers, drop_last=True
        )

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.batch_size, num_workers=self.workers)
