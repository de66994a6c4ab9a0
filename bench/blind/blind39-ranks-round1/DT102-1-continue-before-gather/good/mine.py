import os
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


@dataclass
class MiningConfig:
    rounds: int = 3
    batch_size: int = 24
    keep: int = 8
    widths: list = field(default_factory=lambda: [32, 32])


class Spectra(Dataset):
    def __init__(self, size=480, bins=40):
        generator = torch.Generator().manual_seed(99)
        self.bins = torch.rand(size, bins, generator=generator)
        self.target = self.bins.argmax(dim=1) // 10

    def __len__(self):
        return len(self.target)

    def __getitem__(self, index):
        return index, self.bins[index], self.target[index]


def mlp(widths, inputs=40, classes=4):
    layers = []
    for width in widths:
        layers += [nn.Linear(inputs, width), nn.SiLU()]
        inputs = width
    return nn.Sequential(*layers, nn.Linear(inputs, classes))


def train_round(model, loader, optimizer, device, keep):
    hardest = []
    for index, x, y in loader:
        losses = F.cross_entropy(model(x.to(device)), y.to(device), reduction="none")
        optimizer.zero_grad()
        losses.mean().backward()
        optimizer.step()
        worst = losses.detach().topk(keep).indices.cpu()
        hardest.extend(index[worst].tolist())
    return hardest[-keep:]


def main():
    cfg = MiningConfig()
    local_rank = int(os.environ.get("LOCAL_RANK", 0))
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device(f"cuda:{local_rank}" if cuda else "cpu")
    dist.init_process_group(backend="nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(mlp(cfg.widths).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    data = Spectra()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=cfg.batch_size, sampler=sampler, drop_last=True)
    for round_index in range(cfg.rounds):
        sampler.set_epoch(round_index)
        hardest = train_round(model, loader, optimizer, device, cfg.keep)
        pooled = [None] * dist.get_world_size()
        dist.all_gather_object(pooled, hardest)
        if dist.get_rank() != 0:
            continue
        everyone = sorted({i for part in pooled for i in part})
        print(f"round {round_index}: {len(everyone)} hard samples, first {everyone[:5]}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
