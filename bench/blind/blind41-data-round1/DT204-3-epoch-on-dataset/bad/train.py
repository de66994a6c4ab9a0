import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from curriculum import Curriculum


class Fit:
    def __init__(self, model, loader, lr):
        self.model, self.loader = model, loader
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def one_epoch(self, epoch):
        self.loader.dataset.set_epoch(epoch)
        for x, y in self.loader:
            self.optimizer.zero_grad()
            nn.functional.mse_loss(self.model(x)[:, 0], y).backward()
            self.optimizer.step()

    def run(self, epochs):
        for epoch in range(epochs):
            self.one_epoch(epoch)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    data = Curriculum(4096, 64)
    loader = DataLoader(data, batch_size=32, sampler=DistributedSampler(data), drop_last=True)
    Fit(DDP(nn.Linear(64, 1)), loader, 1e-3).run(10)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
