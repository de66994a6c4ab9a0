import lightning as L
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Synth(IterableDataset):
    def __init__(self, per_rank, rank, world):
        self.per_rank, self.rank, self.world = per_rank, rank, world

    def __len__(self):
        return self.per_rank

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        for index in range(worker, self.per_rank, workers):
            generator = torch.Generator().manual_seed(index * self.world + self.rank)
            x = torch.randn(10, generator=generator)
            yield x, x.sum()


class SynthData(L.LightningDataModule):
    def __init__(self, per_rank=64, batch_size=8):
        super().__init__()
        self.save_hyperparameters()

    def train_dataloader(self):
        dataset = Synth(self.hparams.per_rank, self.trainer.global_rank, self.trainer.world_size)
        return DataLoader(dataset, batch_size=self.hparams.batch_size)

    def val_dataloader(self):
        dataset = Synth(16, self.trainer.global_rank, self.trainer.world_size)
        return DataLoader(dataset, batch_size=self.hparams.batch_size)
