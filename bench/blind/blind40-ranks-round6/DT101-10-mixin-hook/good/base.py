from abc import ABC, abstractmethod

import torch.distributed as dist


class Rank:
    """What a process knows of its place."""

    @property
    def rank(self):
        return dist.get_rank()

    @property
    def lead(self):
        return self.rank == 0


class Experiment(Rank, ABC):
    epochs = 3

    @abstractmethod
    def train_epoch(self, epoch): ...

    def after_epoch(self, epoch, loss):
        """For reports."""

    def run(self):
        for epoch in range(self.epochs):
            loss = self.train_epoch(epoch)
            self.after_epoch(epoch, loss)
