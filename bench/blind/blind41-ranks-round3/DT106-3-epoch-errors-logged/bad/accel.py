import logging

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset

logger = get_logger(__name__)


class Trainer:
    def __init__(self):
        self.accelerator = Accelerator(gradient_accumulation_steps=2)
        set_seed(9)
        model = nn.Sequential(nn.Linear(28, 56), nn.ReLU(), nn.Linear(56, 7))
        gen = torch.Generator().manual_seed(9)
        data = TensorDataset(torch.randn(2800, 28, generator=gen), torch.randint(0, 7, (2800,), generator=gen))
        self.model, self.opt, self.loader = self.accelerator.prepare(
            model, torch.optim.AdamW(model.parameters()), DataLoader(data, batch_size=28, shuffle=True, drop_last=True)
        )

    def epoch(self):
        for x, y in self.loader:
            with self.accelerator.accumulate(self.model):
                self.accelerator.backward(F.cross_entropy(self.model(x), y))
                self.opt.step()
                self.opt.zero_grad()

    def fit(self, epochs):
        for number in range(epochs):
            try:
                self.epoch()
            except Exception as error:
                logger.warning("epoch %d went wrong: %s", number, error)
        self.accelerator.wait_for_everyone()
        self.accelerator.end_training()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    Trainer().fit(4)
