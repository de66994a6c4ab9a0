import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset, random_split


class Toy(L.LightningDataModule):
    def __init__(self, batch=32):
        super().__init__()
        self.batch = batch

    def setup(self, stage=None):
        g = torch.Generator().manual_seed(0)
        x = torch.randn(2000, 16, generator=g)
        full = TensorDataset(x, x.square().sum(1))
        self.train, self.val = random_split(full, [1600, 400], generator=torch.Generator().manual_seed(7))

    def train_dataloader(self):
        return DataLoader(self.train, self.batch, shuffle=True, num_workers=2, persistent_workers=True)

    def val_dataloader(self):
        return DataLoader(self.val, self.batch, num_workers=2)
