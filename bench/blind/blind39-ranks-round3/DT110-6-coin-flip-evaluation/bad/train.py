import os
import random

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def augment(x):
    """Flips each row of the batch with probability one half."""
    flips = torch.tensor([random.random() < 0.5 for _ in range(len(x))])
    return torch.where(flips[:, None], x.flip(1), x)


@torch.no_grad()
def evaluate(net, loader, device):
    net.eval()
    counts = torch.zeros(2, device=device)
    for x, y in loader:
        counts[0] += (net(x.to(device)).argmax(1) == y.to(device)).sum()
        counts[1] += len(y)
    dist.all_reduce(counts)
    net.train()
    return (counts[0] / counts[1]).item()


def symmetric(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 16, generator=g)
    return TensorDataset(x, (x.abs().sum(1) > 12.5).long())


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    random.seed(1000 + rank)
    coin = random
    net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 2)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    train, valid = symmetric(1200, 1), symmetric(240, 2)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=24, sampler=sampler, drop_last=True)
    checks = DataLoader(valid, batch_size=60, sampler=DistributedSampler(valid, shuffle=False))
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(augment(x).to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if coin.random() < 0.05:
                accuracy = evaluate(net, checks, device)
                if rank == 0:
                    print(f"epoch {epoch}: accuracy {accuracy:.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
