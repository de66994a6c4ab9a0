import os
import random
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.nn.functional import all_gather
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Recipe:
    aux_share: float = 0.25
    aux_weight: float = 0.1
    seed: int = 17
    epochs: int = 2


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(15, 30), nn.ReLU())
        self.cls, self.proj = nn.Linear(30, 3), nn.Linear(30, 8)

    def forward(self, x):
        h = self.body(x)
        return self.cls(h), F.normalize(self.proj(h), dim=1)


def contrast(z, y):
    everyone = torch.cat(all_gather(z))
    labels = torch.cat(all_gather(y.float()))
    logits = z @ everyone.T / 0.1
    same = (y.float()[:, None] == labels[None]).float()
    return -(same * torch.log_softmax(logits, 1)).sum(1).div(same.sum(1)).mean()


class Trainer:
    def __init__(self, recipe, device):
        self.recipe, self.device = recipe, device
        torch.manual_seed(recipe.seed)
        self.coin = random.Random(recipe.seed)
        net = TwoHeads().to(device)
        ids = [device.index] if device.type == "cuda" else None
        self.model = DDP(net, device_ids=ids, find_unused_parameters=True)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def loss(self, x, y):
        logits, z = self.model(x)
        loss = F.cross_entropy(logits, y)
        if self.coin.random() < self.recipe.aux_share:
            loss = loss + self.recipe.aux_weight * contrast(z, y)
        return loss

    def fit(self, loader, sampler):
        for epoch in range(self.recipe.epochs):
            sampler.set_epoch(epoch)
            for x, y in loader:
                self.opt.zero_grad()
                self.loss(x.to(self.device), y.to(self.device)).backward()
                self.opt.step()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    x = torch.randn(480, 15, generator=torch.Generator().manual_seed(3))
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=24, sampler=sampler, drop_last=True)
    trainer = Trainer(Recipe(), device)
    trainer.fit(loader, sampler)
    if dist.get_rank() == 0:
        torch.save(trainer.model.module.state_dict(), "two_heads.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
