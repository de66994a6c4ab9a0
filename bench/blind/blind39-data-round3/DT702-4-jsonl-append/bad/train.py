import json
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class MetricsFile:
    def __init__(self, path):
        self.path = Path(path)
        self.begun = time.time()

    def add(self, **values):
        values["seconds"] = round(time.time() - self.begun, 1)
        with self.path.open("a") as handle:
            handle.write(json.dumps(values) + "\n")


def leaves(n=4096):
    gen = torch.Generator().manual_seed(83)
    x = torch.rand(n, 40, generator=gen)
    return TensorDataset(x, (x.mean(dim=1) * 6).long())


def main(epochs=5):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, 6)).to(device))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = leaves()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    metrics = MetricsFile("metrics.jsonl")
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            loss.backward()
            opt.step()
            total += loss.detach()
        dist.all_reduce(total)
        metrics.add(epoch=epoch, loss=total.item() / (len(loader) * dist.get_world_size()))
    if rank == 0:
        torch.save(model.module.state_dict(), "leaves.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
