from pathlib import Path

import lightning as L
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Lines(IterableDataset):
    def __init__(self, folder, block, rank=0, world=1):
        self.files = sorted(Path(folder).glob("*.jsonl"))
        self.block = block
        self.rank, self.world = rank, world

    def encode(self, line):
        codes = torch.tensor([ord(c) % 64 for c in line[: self.block + 1]])
        return torch.nn.functional.pad(codes, (0, self.block + 1 - len(codes)))

    def __iter__(self):
        info = get_worker_info()
        index, count = (info.id, info.num_workers) if info else (0, 1)
        for path in self.files:
            with open(path) as lines:
                for number, line in enumerate(lines):
                    if number % count == index:
                        yield self.encode(line)


class TextData(L.LightningDataModule):
    def __init__(self, folder="corpus", block=16, batch_size=4, workers=2):
        super().__init__()
        self.save_hyperparameters()

    def train_dataloader(self):
        hp = self.hparams
        lines = Lines(hp.folder, hp.block, self.trainer.global_rank, self.trainer.world_size)
        return DataLoader(lines, batch_size=hp.batch_size, num_workers=hp.workers, drop_last=True)
