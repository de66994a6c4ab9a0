"""Curriculum, phases as a list of dataclasses; loader rebuilt per phase; batch size schedule; scheduler chained."""
import dataclasses
import os
import typing as t

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset
from torch.utils.data.distributed import DistributedSampler


@dataclasses.dataclass
class Phase:
    name: str
    epochs: int
    length: int
    batch: int
    freeze: t.Tuple[str, ...] = ()


PHASES = [Phase("short", 2, 16, 64, ("head",)), Phase("medium", 2, 64, 16), Phase("long", 1, 256, 4)]


class Walks(Dataset):
    def __init__(self, n, length, seed):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, length, 2, generator=g).cumsum(1)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i, :-1], self.x[i, 1:]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.GRU(2, 64, batch_first=True)
        self.head = nn.Linear(64, 2)

    def forward(self, x):
        return self.head(self.body(x)[0])


def global_batches(phase, world):
    data = ConcatDataset([Walks(1000, phase.length, 0), Subset(Walks(1000, phase.length, 1), range(500))])
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    return DataLoader(data, batch_size=phase.batch, sampler=sampler, drop_last=True), sampler


def main():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    torch.manual_seed(0)
    net = Model().cuda()
    done = 0
    for phase in PHASES:
        for name, p in net.named_parameters():
            p.requires_grad_(not name.startswith(phase.freeze) if phase.freeze else True)
        model = DistributedDataParallel(net, device_ids=[local])
        optimizer = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], 1e-3)
        loader, sampler = global_batches(phase, dist.get_world_size())
        total = phase.epochs * len(loader)
        warm = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=max(1, total // 10))
        cos = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, total)
        scheduler = torch.optim.lr_scheduler.ChainedScheduler([warm, cos])
        for epoch in range(phase.epochs):
            sampler.set_epoch(done)
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step()
            done += 1
        del model
        if dist.get_rank() == 0:
            torch.save(net.state_dict(), f"{phase.name}.pt")
            dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
