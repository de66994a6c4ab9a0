import json
from itertools import islice
from pathlib import Path

import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class JsonLines(IterableDataset):
    def __init__(self, files, rank, world, per_replica, seed):
        self.files, self.rank, self.world = files, rank, world
        self.per_replica, self.seed, self.epoch = per_replica, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def _lines(self):
        order = np.random.default_rng([self.seed, self.epoch]).permutation(len(self.files))
        while True:
            for k in order:
                with open(self.files[k]) as handle:
                    yield from handle

    def __iter__(self):
        info = get_worker_info()
        workers, worker = (info.num_workers, info.id) if info else (1, 0)
        slots, slot = self.world * workers, self.rank * workers + worker
        for line in islice(islice(self._lines(), slot, None, slots), self.per_replica // workers):
            row = json.loads(line)
            yield torch.tensor(row["x"]), torch.tensor(row["y"])


class LinesModule(L.LightningDataModule):
    def __init__(self, root, batch_size=64, rows=1_000_000, seed=9):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        files = sorted(str(p) for p in Path(self.hparams.root).glob("*.jsonl"))
        world = self.trainer.world_size
        per_replica = self.hparams.rows // world
        self.lines = JsonLines(files, self.trainer.global_rank, world, per_replica, self.hparams.seed)

    def train_dataloader(self):
        self.lines.set_epoch(self.trainer.current_epoch)
        return DataLoader(self.lines, batch_size=self.hparams.batch_size, num_workers=4, drop_last=True)
