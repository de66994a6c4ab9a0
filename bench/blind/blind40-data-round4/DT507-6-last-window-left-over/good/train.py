import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Accumulating:
    def __init__(self, model, optimizer, every):
        self.model, self.optimizer, self.every = model, optimizer, every

    def feed(self, x, y, index, count):
        closes = (index + 1) % self.every == 0 or index + 1 == count
        with contextlib.nullcontext() if closes else self.model.no_sync():
            loss = F.smooth_l1_loss(self.model(x), y)
            (loss / self.every).backward()
        if closes:
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)


def main(epochs=4, every=8):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(16, 1).to(device), device_ids=[local] if cuda else None)
    steps = Accumulating(model, torch.optim.SGD(model.parameters(), lr=0.1), every)
    x = torch.randn(5000, 16, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.prod(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for i, (features, target) in enumerate(loader):
            steps.feed(features.to(device), target.to(device), i, len(loader))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
