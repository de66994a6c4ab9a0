import os
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Experiment:
    root: Path = Path("/shared/experiments")
    run_id: str = field(default_factory=lambda: uuid.uuid4().hex[:8])
    epochs: int = 4

    @property
    def warmup_file(self):
        return self.root / self.run_id / "warmup.pt"


def common(experiment):
    box = [experiment.run_id]
    dist.broadcast_object_list(box, src=0)
    experiment.run_id = box[0]
    return experiment


def data():
    gen = torch.Generator().manual_seed(58)
    x = torch.randn(4096, 30, generator=gen)
    return TensorDataset(x, x.max(dim=1, keepdim=True).values)


def train(model, loader, opt, device):
    for x, y in loader:
        opt.zero_grad(set_to_none=True)
        F.mse_loss(model(x.to(device)), y.to(device)).backward()
        opt.step()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    experiment = common(Experiment())
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 1)).to(device), device_ids=[local_rank])
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    rows = data()
    sampler = DistributedSampler(rows, drop_last=True)
    loader = DataLoader(rows, batch_size=64, sampler=sampler, drop_last=True)
    train(model, loader, opt, device)
    if dist.get_rank() == 0:
        experiment.warmup_file.parent.mkdir(parents=True, exist_ok=True)
        torch.save(model.module.state_dict(), experiment.warmup_file)
    dist.barrier()
    teacher = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 1)).to(device).requires_grad_(False)
    teacher.load_state_dict(torch.load(experiment.warmup_file, map_location=device, weights_only=True))
    for epoch in range(1, experiment.epochs):
        sampler.set_epoch(epoch)
        for x, _ in loader:
            x = x.to(device)
            opt.zero_grad(set_to_none=True)
            F.mse_loss(model(x), teacher(x)).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
