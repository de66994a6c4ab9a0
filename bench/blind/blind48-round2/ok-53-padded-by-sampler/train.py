import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def synthetic_classification(n=320, dim=20, classes=5):
    gen = torch.Generator().manual_seed(2024)
    feats = torch.randn(n, dim, generator=gen)
    weight = torch.randn(dim, classes, generator=gen)
    return TensorDataset(feats, (feats @ weight).argmax(dim=1))


def setup():
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    local_rank = int(os.environ["LOCAL_RANK"])
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
        device = torch.device("cuda", local_rank)
    else:
        device = torch.device("cpu")
    dist.init_process_group(backend)
    return dist.get_rank(), dist.get_world_size(), device


def main():
    rank, world, device = setup()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5)).to(device)
    model = DistributedDataParallel(net, device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = synthetic_classification(n=333)
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=16, sampler=sampler)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        seen = 0
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            loss.backward()
            optimizer.step()
            seen += len(x)
        counts = [None] * world
        dist.all_gather_object(counts, seen)
        if rank == 0:
            print(f"epoch {epoch}: rows per rank {counts}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
