import lightning as L
import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Patches(Dataset):
    def __init__(self, count, seed):
        generator = torch.Generator().manual_seed(seed)
        self.images = torch.randn(count, 3, 8, 8, generator=generator)
        self.labels = (self.images.mean(dim=(1, 2, 3)) > 0).long()

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


class PatchData(L.LightningDataModule):
    def __init__(self, batch_size=16, workers=0):
        super().__init__()
        self.batch_size = batch_size
        self.workers = workers

    def setup(self, stage=None):
        self.train_set = Patches(512, seed=1)
        self.val_set = Patches(128, seed=2)

    def _sampler(self, dataset, shuffle):
        trainer = self.trainer
        return DistributedSampler(
            dataset, num_replicas=trainer.world_size, rank=trainer.global_rank, shuffle=shuffle, drop_last=shuffle
        )

    def train_dataloader(self):
        return DataLoader(
            self.train_set,
            batch_size=self.batch_size,
            sampler=self._sampler(self.train_set, shuffle=True),
            num_workers=self.workers,
            drop_last=True,
        )

    def val_dataloader(self):
        return DataLoader(
            self.val_set,
            batch_size=self.batch_size,
            sampler=self._sampler(self.val_set, shuffle=False),
            num_workers=self.workers,
        )
