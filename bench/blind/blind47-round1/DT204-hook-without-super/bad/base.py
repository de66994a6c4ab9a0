from typing import Generic, TypeVar

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

B = TypeVar("B")


class Trainer(Generic[B]):
    def __init__(self, model: torch.nn.Module, dataset: Dataset, batch_size: int, epochs: int) -> None:
        self.model = DistributedDataParallel(model)
        self.sampler = DistributedSampler(dataset, shuffle=True)
        self.loader = DataLoader(dataset, batch_size=batch_size, sampler=self.sampler)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.epochs = epochs

    def on_epoch_start(self, epoch: int) -> None:
        self.sampler.set_epoch(epoch)

    def loss(self, batch: B) -> torch.Tensor:
        raise NotImplementedError

    def fit(self) -> None:
        for epoch in range(self.epochs):
            self.on_epoch_start(epoch)
            for batch in self.loader:
                self.optimizer.zero_grad()
                self.loss(batch).backward()
                self.optimizer.step()
