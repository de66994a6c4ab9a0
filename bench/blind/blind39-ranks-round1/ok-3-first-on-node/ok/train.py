import os
from contextlib import contextmanager
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@contextmanager
def first(rank):
    if rank > 0:
        dist.barrier()
    try:
        yield
    finally:
        if rank == 0:
            dist.barrier()


def cached_features(path):
    if not path.exists():
        g = torch.Generator().manual_seed(0)
        x = torch.randn(600, 9, generator=g)
        scratch = path.with_suffix(".tmp")
        torch.save({"x": x, "y": x.norm(dim=1, keepdim=True)}, scratch)
        scratch.rename(path)
    return torch.load(path, map_location="cpu")


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    with first(dist.get_rank()):
        features = cached_features(Path("features.pt"))
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(9, 27), nn.ReLU(), nn.Linear(27, 1)).to(device)
    model = DDP(model, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters())
    data = TensorDataset(features["x"], features["y"])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.l1_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
