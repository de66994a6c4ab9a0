import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, TensorDataset


def set_loader_epoch(loader, epoch):
    sampler = loader.batch_sampler.sampler
    if hasattr(sampler, "set_epoch"):
        sampler.set_epoch(epoch)


class Trainer:
    def __init__(self, model, loader, device, lr):
        self.model = DDP(model.to(device))
        self.loader = loader
        self.device = device
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr, momentum=0.9)

    def train(self, epochs):
        for epoch in range(epochs):
            set_loader_epoch(self.loader, epoch)
            self._epoch()

    def _epoch(self):
        for x, y in self.loader:
            x, y = x.to(self.device), y.to(self.device)
            loss = F.cross_entropy(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


def make_loader(rows=640, batch=32):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(rows, 20, generator=generator)
    dataset = TensorDataset(x, (x.sum(1) > 0).long())
    sampler = DistributedSampler(dataset, seed=13)
    return DataLoader(dataset, batch_sampler=BatchSampler(sampler, batch, drop_last=True))


def main():
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    trainer = Trainer(nn.Linear(20, 2), make_loader(), device, lr=0.1)
    trainer.train(epochs=5)
    if dist.get_rank() == 0:
        torch.save(trainer.model.module.state_dict(), "linear.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
