import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Molecules(Dataset):
    def __init__(self, split, size):
        gen = torch.Generator().manual_seed({"train": 1, "valid": 2}[split])
        self.descriptors = torch.randn(size, 50, generator=gen)
        self.logp = self.descriptors[:, ::5].mean(1, keepdim=True)

    def __len__(self):
        return len(self.logp)

    def __getitem__(self, i):
        return self.descriptors[i], self.logp[i]


class Finetuner:
    def __init__(self, device):
        self.device = device
        net = nn.Sequential(nn.Linear(50, 100), nn.Mish(), nn.Linear(100, 1)).to(device)
        self.model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=5e-3)
        self.scheduler = ReduceLROnPlateau(self.optimizer, factor=0.3, patience=1)

    def loader(self, split, size, train):
        data = Molecules(split, size)
        sampler = DistributedSampler(data, shuffle=train, drop_last=train)
        return DataLoader(data, batch_size=40, sampler=sampler, drop_last=train)

    def train(self, loader):
        self.model.train()
        for x, y in loader:
            loss = F.mse_loss(self.model(x.to(self.device)), y.to(self.device))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def validate(self, loader):
        self.model.eval()
        totals = torch.zeros(2, device=self.device)
        for x, y in loader:
            prediction = self.model.module(x.to(self.device))
            totals[0] += F.mse_loss(prediction, y.to(self.device), reduction="sum")
            totals[1] += len(x)
        dist.reduce(totals, dst=0)
        return (totals[0] / totals[1]).item()

    def fit(self, epochs):
        train, valid = self.loader("train", 640, True), self.loader("valid", 160, False)
        for epoch in range(epochs):
            train.sampler.set_epoch(epoch)
            self.train(train)
            error = self.validate(valid)
            self.scheduler.step(error)
            if dist.get_rank() == 0:
                print(f"epoch {epoch}: validation {error:.4f}, lr {self.scheduler.get_last_lr()[0]:.2e}")


if __name__ == "__main__":
    has_gpu = torch.cuda.is_available()
    if has_gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if has_gpu else "gloo")
    torch.manual_seed(0)
    where = torch.device("cuda", torch.cuda.current_device()) if has_gpu else torch.device("cpu")
    Finetuner(where).fit(epochs=6)
    dist.destroy_process_group()
