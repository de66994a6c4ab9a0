import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Subset, TensorDataset

from uneven.share import strided


class Trainer:
    def __init__(self, model, device, lr):
        self.model, self.device = model, device
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)

    def step(self, x, y):
        self.opt.zero_grad()
        nn.functional.mse_loss(self.model(x.to(self.device)), y.to(self.device)).backward()
        self.opt.step()

    def epoch(self, loader):
        with Join([self.model]):
            for x, y in loader:
                self.step(x, y)


def main(epochs=3):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = DDP(nn.Linear(4, 1).to(device), device_ids=[device.index] if cuda else None)
    x = torch.randn(1003, 4, generator=torch.Generator().manual_seed(1))
    data = Subset(TensorDataset(x, x[:, :1]), strided(1003, rank, world))
    loader = DataLoader(data, batch_size=8, shuffle=True)
    trainer = Trainer(model, device, 0.1)
    for _ in range(epochs):
        trainer.epoch(loader)
    if rank == 0:
        torch.save(model.module.state_dict(), "uneven.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
