import os
import random

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class TwoHeads(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(24, dim), nn.ReLU())
        self.head = nn.Linear(dim, 4)
        self.extra = nn.Linear(dim, 24)

    def forward(self, x, y, reconstruct):
        hidden = self.body(x)
        loss = F.cross_entropy(self.head(hidden), y)
        if reconstruct:
            loss = loss + 0.2 * F.mse_loss(self.extra(hidden), x)
        return loss


class Coin:
    """The auxiliary task is trained in about every third step."""

    def __init__(self, seed, p=0.3):
        self.draw, self.p = random.Random(seed), p

    def __call__(self):
        return self.draw.random() < self.p


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    torch.manual_seed(3)
    model = DDP(TwoHeads().to(device), device_ids=[local_rank] if cuda else None, find_unused_parameters=True)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(4096, 24, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x[:, :4].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    coin = Coin(seed=17)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            model(x.to(device), y.to(device), coin()).backward()
            opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "heads.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
