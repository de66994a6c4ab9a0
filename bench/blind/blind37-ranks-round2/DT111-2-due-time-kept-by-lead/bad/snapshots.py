import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Snapshots:
    def __init__(self, folder, every_seconds, device):
        self.folder, self.every, self.device = Path(folder), every_seconds, device
        self.last = time.monotonic()
        self.due = False

    def tick(self):
        if dist.get_rank() == 0 and time.monotonic() - self.last > self.every:
            self.due = True

    def maybe(self, model, opt, step):
        if not self.due:
            return
        weights, moments = get_state_dict(model, opt)
        dcp.save({"model": weights, "opt": moments}, checkpoint_id=str(self.folder / f"step_{step:06d}"))
        self.due = False
        self.last = time.monotonic()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2)).to(device)
    model = fully_shard(net)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(1600, 12, generator=torch.Generator().manual_seed(9))
    data = TensorDataset(x, (x.sum(1) > 0).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    snapshots = Snapshots("snapshots", every_seconds=float(os.environ.get("SNAPSHOT_SECONDS", 600)), device=device)
    step = 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for a, b in loader:
            loss = nn.functional.cross_entropy(model(a.to(device)), b.to(device))
            loss.backward()
            opt.step()
            opt.zero_grad()
            step += 1
            snapshots.tick()
            snapshots.maybe(model, opt, step)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
