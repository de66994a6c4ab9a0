import lightning as L
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class TableData(L.LightningDataModule):
    def __init__(self, path="table.pt", batch_size=16):
        super().__init__()
        self.path, self.batch_size = path, batch_size

    def setup(self, stage=None):
        rows = torch.load(self.path, map_location="cpu", weights_only=True)
        usable = len(rows) - len(rows) % self.trainer.world_size
        self.rows = Rows(rows[:usable][self.trainer.global_rank :: self.trainer.world_size])

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=self.batch_size, shuffle=True, drop_last=True)
