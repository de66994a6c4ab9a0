import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from crops import CropDataset


class Experiment:
    def __init__(self, workers: int = 2):
        dist.init_process_group("gloo" if not torch.cuda.is_available() else "nccl")
        self.local = int(os.environ["LOCAL_RANK"])
        self.device = torch.device("cpu")
        if torch.cuda.is_available():
            torch.cuda.set_device(self.local)
            self.device = torch.device("cuda", self.local)
        self.data = CropDataset(256, 128, 32)
        self.sampler = DistributedSampler(self.data, drop_last=True)
        self.loader = DataLoader(
            self.data,
            batch_size=16,
            sampler=self.sampler,
            num_workers=workers,
            persistent_workers=True,
            drop_last=True,
        )
        torch.manual_seed(0)
        self.model = DistributedDataParallel(nn.Linear(31, 1).to(self.device))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)

    def run(self, epochs: int = 3):
        for epoch in range(epochs):
            self.sampler.set_epoch(epoch)
            self.data.set_epoch(epoch)
            for crop in self.loader:
                crop = crop.to(self.device)
                self.optimizer.zero_grad()
                nn.functional.mse_loss(self.model(crop[:, :-1]), crop[:, -1:]).backward()
                self.optimizer.step()


if __name__ == "__main__":
    try:
        Experiment().run()
    finally:
        dist.destroy_process_group()
