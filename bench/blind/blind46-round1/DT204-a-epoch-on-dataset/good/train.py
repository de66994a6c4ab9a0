import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from data import train_loader


class Trainer:
    def __init__(self, model, loader, device, lr=1e-3):
        self.model, self.loader, self.device = model, loader, device
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def run_epoch(self, epoch):
        self.loader.dataset.set_epoch(epoch)
        self.loader.sampler.set_epoch(epoch)
        for wave in self.loader:
            wave = wave.to(self.device)
            loss = F.mse_loss(self.model(wave), wave)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()

    def fit(self, epochs):
        for epoch in range(epochs):
            self.run_epoch(epoch)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 8), nn.Tanh(), nn.Linear(8, 64)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    Trainer(model, train_loader(10), device).fit(5)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
