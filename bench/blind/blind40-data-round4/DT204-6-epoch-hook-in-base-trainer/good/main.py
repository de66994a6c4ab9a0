import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.utils.data import TensorDataset

from base import BaseTrainer


def network():
    return nn.Sequential(nn.Linear(15, 60), nn.ReLU(), nn.Linear(60, 1))


class Regression(BaseTrainer):
    def on_epoch_start(self, epoch):
        super().on_epoch_start(epoch)
        self.began = time.perf_counter()

    def on_epoch_end(self, epoch):
        if dist.get_rank() == 0:
            print(f"epoch {epoch} took {time.perf_counter() - self.began:.1f} s")

    def loss(self, batch):
        x, y = batch
        return F.mse_loss(self.model(x), y)


def main():
    gen = torch.Generator().manual_seed(2)
    x = torch.randn(3000, 15, generator=gen)
    trainer = Regression(network, TensorDataset(x, x.norm(dim=1, keepdim=True)), batch_size=50)
    trainer.fit(6)
    trainer.close()


if __name__ == "__main__":
    main()
