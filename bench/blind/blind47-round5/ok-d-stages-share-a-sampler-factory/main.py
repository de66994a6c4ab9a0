from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler, TensorDataset


@dataclass(frozen=True)
class Stage:
    rows: int
    epochs: int
    lr: float
    global_batch: int = 64

    def dataset(self) -> Dataset:
        x = torch.randn(self.rows, 4, generator=torch.Generator().manual_seed(self.rows))
        return TensorDataset(x, x.sum(1, keepdim=True))

    def loader(self, world: int) -> DataLoader:
        data = self.dataset()
        return DataLoader(data, self.global_batch // world, sampler=DistributedSampler(data), drop_last=True)


def main(stages=(Stage(1024, 3, 0.1), Stage(256, 1, 0.01))):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 1))
    first = 0
    for stage in stages:
        loader = stage.loader(dist.get_world_size())
        optimizer = torch.optim.SGD(model.parameters(), stage.lr)
        for epoch in range(first, first + stage.epochs):
            loader.sampler.set_epoch(epoch)
            for a, b in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(a), b).backward()
                optimizer.step()
        first += stage.epochs
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
