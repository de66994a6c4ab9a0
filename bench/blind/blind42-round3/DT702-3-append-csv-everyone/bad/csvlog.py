"""A CSV callback list around a DDP loop."""
import csv
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class CSVLogger:
    def __init__(self, path):
        self.path = path

    def on_epoch_end(self, trainer):
        with open(self.path, "a", newline="") as fh:
            csv.writer(fh).writerow([trainer.epoch, f"{trainer.loss:.5f}"])


class SaveLast:
    def on_epoch_end(self, trainer):
        if dist.get_rank() == 0:
            torch.save(trainer.net.state_dict(), "last.pt")


class Trainer:
    def __init__(self, callbacks):
        self.callbacks = callbacks
        self.net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8))
        self.model = DDP(self.net)
        self.optimizer = torch.optim.SGD(self.model.parameters(), 0.05)
        self.epoch, self.loss = 0, 0.0

    def emit(self, name):
        for callback in self.callbacks:
            getattr(callback, name)(self)

    def fit(self, epochs):
        data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
        sampler = DistributedSampler(data, drop_last=True)
        loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
        for self.epoch in range(epochs):
            sampler.set_epoch(self.epoch)
            sums = torch.zeros(2)
            for x, y in loader:
                loss = nn.functional.cross_entropy(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                sums += torch.tensor([loss.item(), 1.0])
            dist.all_reduce(sums)
            self.loss = (sums[0] / sums[1]).item()
            self.emit("on_epoch_end")


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    callbacks = [CSVLogger(os.environ.get("LOG", "log.csv")), SaveLast()]
    Trainer(callbacks).fit(5)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
