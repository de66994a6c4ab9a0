import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from data import build
from seeding import seed_everything


@torch.no_grad()
def accuracy(model, loader, device):
    hits = torch.zeros(2, device=device)
    for x, y in loader:
        hits += torch.stack([(model(x.to(device)).argmax(1) == y.to(device)).sum(), torch.tensor(len(y), device=device)])
    dist.all_reduce(hits)
    return (hits[0] / hits[1]).item()


def main(seed=5, epochs=3):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    seed_everything(seed, offset=rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    loaders = build(30)
    net = nn.Sequential(nn.Linear(10, 32), nn.Dropout(0.1), nn.ReLU(), nn.Linear(32, 2)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(epochs):
        loaders.train.sampler.set_epoch(epoch)
        model.train()
        for x, y in loaders.train:
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
        model.eval()
        acc = accuracy(model, loaders.val, device)
        if rank == 0:
            print(epoch, f"{acc:.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
