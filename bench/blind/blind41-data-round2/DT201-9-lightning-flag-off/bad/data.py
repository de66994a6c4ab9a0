import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Tabular(L.LightningDataModule):
    def __init__(self, batch_size=64, seed=0):
        super().__init__()
        self.batch_size, self.seed = batch_size, seed

    def setup(self, stage=None):
        g = torch.Generator().manual_seed(self.seed)
        x = torch.randn(10_000, 18, generator=g)
        self.rows = TensorDataset(x, x[:, 0] * x[:, 1])

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=self.batch_size, shuffle=True, num_workers=2, drop_last=True)
