import math
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class BadLoss(ArithmeticError):
    pass


def checked(loss):
    if not math.isfinite(loss.item()):
        raise BadLoss(f"loss is {loss.item()}")
    return loss


class Trainer:
    def __init__(self, model, optimizer, device):
        self.model, self.optimizer, self.device = model, optimizer, device
        self.skipped = 0

    def step(self, x, y):
        loss = F.mse_loss(self.model(x.to(self.device)), y.to(self.device))
        self.optimizer.zero_grad(set_to_none=True)
        checked(loss).backward()
        self.optimizer.step()

    def epoch(self, loader):
        for batch in loader:
            try:
                self.step(*batch)
            except BadLoss as err:
                raise SystemExit(f"[rank {dist.get_rank()}] {err}") from err


def main(epochs=3):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(9, 1).to(device), device_ids=[local_rank] if cuda else None)
    trainer = Trainer(model, torch.optim.SGD(model.parameters(), lr=0.5), device)
    x = torch.randn(640, 9, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.exp().sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        trainer.epoch(loader)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
