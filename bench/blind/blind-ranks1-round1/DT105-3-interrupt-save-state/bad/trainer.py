import logging
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from accelerate import Accelerator, FullyShardedDataParallelPlugin
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger(__name__)


@dataclass
class Options:
    epochs: int = 2
    batch_size: int = 8
    lr: float = 1e-3
    out: str = "state"


class Records(Dataset):
    """Rows of a table; a broken row raises when it is decoded."""

    def __init__(self, n=128):
        g = torch.Generator().manual_seed(0)
        self.rows = torch.randn(n, 9, generator=g)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        if not torch.isfinite(row).all():
            raise ValueError(f"row {i} cannot be decoded")
        return row[:8], row[8:]


class Trainer:
    def __init__(self, options):
        self.options = options
        self.accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin())
        set_seed(3, device_specific=True)
        model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
        loader = DataLoader(Records(), batch_size=options.batch_size, shuffle=True, drop_last=True)
        self.model = self.accelerator.prepare(model)
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=options.lr)
        self.optimizer, self.loader = self.accelerator.prepare(optimizer, loader)

    def save(self, name):
        self.accelerator.save_state(f"{self.options.out}/{name}")

    def epoch(self):
        for x, y in self.loader:
            loss = F.mse_loss(self.model(x), y)
            self.accelerator.backward(loss)
            self.optimizer.step()
            self.optimizer.zero_grad()

    def fit(self):
        for index in range(self.options.epochs):
            try:
                self.epoch()
            except ValueError as error:
                log.error("epoch %d stopped: %s", index, error)
                self.save("interrupted")
                raise
            self.save(f"epoch_{index}")
        self.accelerator.end_training()


if __name__ == "__main__":
    Trainer(Options()).fit()
