import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import TensorDataset

from loading import build


def setup():
    cuda = torch.cuda.is_available()
    index = int(os.environ.get("LOCAL_RANK", 0))
    if cuda:
        torch.cuda.set_device(index)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", index) if cuda else torch.device("cpu")


def make_data(n=2048):
    gen = torch.Generator().manual_seed(8)
    x = torch.rand(n, 3, 16, 16, generator=gen)
    return TensorDataset(x, (x.mean(dim=(1, 2, 3)) * 10).long().clamp(0, 9))


class Trainer:
    def __init__(self, device, epochs=4):
        self.device = device
        self.epochs = epochs
        torch.manual_seed(0)
        net = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))
        ids = [device.index] if device.type == "cuda" else None
        self.model = DistributedDataParallel(net.to(device), device_ids=ids)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.loss = nn.CrossEntropyLoss(label_smoothing=0.1)

    def fit(self, loader):
        for epoch in range(self.epochs):
            if hasattr(loader, "set_epoch"):
                loader.set_epoch(epoch)
            for x, y in loader:
                self.opt.zero_grad(set_to_none=True)
                self.loss(self.model(x), y).backward()
                self.opt.step()


def main():
    device = setup()
    trainer = Trainer(device)
    trainer.fit(build(make_data(), 32, device))
    if dist.get_rank() == 0:
        torch.save(trainer.model.module.state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
