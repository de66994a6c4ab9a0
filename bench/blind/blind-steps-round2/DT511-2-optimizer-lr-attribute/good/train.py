import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class StepDecay:
    """Multiply the learning rate by `factor` at each milestone."""

    def __init__(self, optimizer, base, milestones, factor=0.1):
        self.optimizer, self.base = optimizer, base
        self.milestones, self.factor = milestones, factor

    def on_epoch(self, epoch):
        passed = sum(epoch >= m for m in self.milestones)
        rate = self.base * self.factor**passed
        for group in self.optimizer.param_groups:
            group["lr"] = rate


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(30, 3).to(device), device_ids=[local] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    decay = StepDecay(optimizer, base=0.1, milestones=(2, 4))
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(960, 30, generator=g), torch.randint(0, 3, (960,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(6):
        sampler.set_epoch(epoch)
        decay.on_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
