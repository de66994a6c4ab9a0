import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from hooks import ShardedData, Warmup


class Job(Warmup, ShardedData):
    def __init__(self):
        torch.manual_seed(0)
        x = torch.randn(300, 4)
        data = TensorDataset(x, x.prod(1, keepdim=True))
        self.loader = DataLoader(data, 10, sampler=DistributedSampler(data))
        self.model = DistributedDataParallel(nn.Linear(4, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), self.peak)

    def run(self):
        for epoch in range(self.epochs):
            self.on_epoch(epoch)
            for x, y in self.loader:
                self.optimizer.zero_grad()
                nn.functional.mse_loss(self.model(x), y).backward()
                self.optimizer.step()


if __name__ == "__main__":
    dist.init_process_group("gloo")
    Job().run()
    dist.destroy_process_group()
