import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from objectives import MixedObjective


@dataclass(frozen=True)
class Settings:
    seed: int = 1234
    epochs: int = 2
    batch_size: int = 16
    noise: float = 0.05


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 16))
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        z = F.normalize(self.body(x), dim=1)
        return z, self.head(z)


def main(settings=Settings()):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")

    torch.manual_seed(settings.seed)
    model = DDP(Encoder().to(device), device_ids=[local_rank] if cuda else None)
    torch.manual_seed(settings.seed + rank)  # noise differs from here on
    objective = MixedObjective(settings.seed)

    g = torch.Generator().manual_seed(settings.seed)
    x = torch.randn(256, 10, generator=g)
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, seed=settings.seed, drop_last=True)
    loader = DataLoader(data, batch_size=settings.batch_size, sampler=sampler, drop_last=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    for epoch in range(settings.epochs):
        sampler.set_epoch(epoch)
        for a, labels in loader:
            a, labels = a.to(device), labels.to(device)
            z, logits = model(a + settings.noise * torch.randn_like(a))
            loss = objective(z, logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
