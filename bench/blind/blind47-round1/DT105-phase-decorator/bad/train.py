import logging

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from phases import phase


class Job:
    def __init__(self):
        torch.manual_seed(0)
        x = torch.randn(256, 6)
        self.dataset = TensorDataset(x, x[:, :1])
        self.sampler = DistributedSampler(self.dataset)
        self.loader = DataLoader(self.dataset, batch_size=16, sampler=self.sampler)
        self.model = DistributedDataParallel(nn.Linear(6, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)

    @phase("train")
    def train(self, epoch):
        self.sampler.set_epoch(epoch)
        for x, y in self.loader:
            self.optimizer.zero_grad()
            loss = nn.functional.mse_loss(self.model(x), y)
            loss.backward()
            self.optimizer.step()

    def run(self, epochs):
        for epoch in range(epochs):
            self.train(epoch)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    dist.init_process_group("gloo")
    Job().run(3)
    dist.destroy_process_group()
