import json
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from meters import RunningMean


def regression(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 6, generator=g)
    return TensorDataset(x, (x[:, 0] * x[:, 1] + x[:, 2:].sum(1)).unsqueeze(1))


class Loop:
    def __init__(self, epochs=6):
        self.epochs = epochs
        self.cuda = torch.cuda.is_available()
        local_rank = int(os.environ["LOCAL_RANK"])
        if self.cuda:
            torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl" if self.cuda else "gloo")
        self.device = torch.device("cuda", local_rank) if self.cuda else torch.device("cpu")
        torch.manual_seed(2)
        net = nn.Sequential(nn.Linear(6, 64), nn.SiLU(), nn.Linear(64, 1)).to(self.device)
        self.model = DDP(net, device_ids=[local_rank] if self.cuda else None)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        train, val = regression(4096, 1), regression(1024, 2)
        self.sampler = DistributedSampler(train, drop_last=True)
        self.train = DataLoader(train, batch_size=64, sampler=self.sampler, drop_last=True)
        self.val = DataLoader(val, batch_size=64, sampler=DistributedSampler(val, shuffle=False))
        self.meter = RunningMean(self.device)
        self.history = []

    def train_epoch(self, epoch):
        self.model.train()
        self.sampler.set_epoch(epoch)
        for x, y in self.train:
            loss = F.mse_loss(self.model(x.to(self.device)), y.to(self.device))
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        self.meter.reset()
        for x, y in self.val:
            x, y = x.to(self.device), y.to(self.device)
            self.meter.update(F.mse_loss(self.model(x), y), x.shape[0])
        return self.meter.value()

    def run(self):
        for epoch in range(self.epochs):
            self.train_epoch(epoch)
            mse = self.evaluate()
            self.history.append({"epoch": epoch, "val_mse": mse})
            if dist.get_rank() == 0:
                print(f"epoch {epoch} val mse {mse:.5f}")
        if dist.get_rank() == 0:
            with open("history.json", "w") as handle:
                json.dump(self.history, handle)
        dist.destroy_process_group()


if __name__ == "__main__":
    Loop().run()
