"""Agrees on one run name, then trains."""
import datetime
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def run_name():
    name = [datetime.datetime.now().strftime("%m%d-%H%M%S")]
    dist.broadcast_object_list(name, src=0)
    return name[0]


class Trainer:
    def __init__(self, root):
        dist.init_process_group("gloo")
        self.folder = os.path.join(root, run_name())
        os.makedirs(self.folder, exist_ok=True)
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8))
        self.model = DDP(self.net)
        self.optimizer = torch.optim.SGD(self.model.parameters(), 0.05)

    def fit(self, epochs):
        data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
        sampler = DistributedSampler(data, drop_last=True)
        loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for x, y in loader:
                loss = nn.functional.cross_entropy(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
        if dist.get_rank() == 0:
            torch.save(self.net.state_dict(), os.path.join(self.folder, "net.pt"))
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    Trainer("runs").fit(4)
