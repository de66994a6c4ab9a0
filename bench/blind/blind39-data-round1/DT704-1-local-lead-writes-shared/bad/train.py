import os
from dataclasses import dataclass, field
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Layout:
    rank: int = field(default_factory=lambda: int(os.environ["RANK"]))
    local_rank: int = field(default_factory=lambda: int(os.environ["LOCAL_RANK"]))

    @property
    def node_lead(self):
        return self.local_rank == 0

    @property
    def lead(self):
        return self.rank == 0


def events(n=8192):
    gen = torch.Generator().manual_seed(9)
    x = torch.randn(n, 18, generator=gen)
    return TensorDataset(x, (x[:, 0] * x[:, 1] > 0).float())


def save(model, epoch, experiment):
    path = experiment / f"epoch{epoch:02d}.pt"
    torch.save(model.module.state_dict(), path)
    print(f"wrote {path}")


def main(experiment=Path("/lustre/projects/events/run7"), epochs=5):
    layout = Layout()
    torch.cuda.set_device(layout.local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", layout.local_rank)
    if layout.lead:
        experiment.mkdir(parents=True, exist_ok=True)
    dist.barrier()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(18, 128), nn.ReLU(), nn.Linear(128, 1)).to(device)
    model = DDP(net, device_ids=[layout.local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = events()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=128, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            loss = F.binary_cross_entropy_with_logits(model(x.to(device)).squeeze(-1), y.to(device))
            loss.backward()
            opt.step()
        if layout.node_lead:
            save(model, epoch, experiment)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
