import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Warm:
    def __init__(self, optimizer, steps):
        self.optimizer, self.steps = optimizer, steps
        optimizer.lr = optimizer.param_groups[0]["lr"]
        optimizer.count = 0

    def __call__(self):
        self.optimizer.count += 1
        scale = min(1.0, self.optimizer.count / self.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = scale * self.optimizer.lr


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(16, 4).to(device), device_ids=[local] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    warm = Warm(optimizer, 20)
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(640, 16, generator=g), torch.randint(0, 4, (640,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            warm()
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
