import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Claims(Dataset):
    """Rows of several kinds, some of them rare."""

    def __init__(self, n=2000, seed=5):
        gen = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, 12, generator=gen)
        self.kind = (torch.rand(n, generator=gen) ** 8 * 6).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.kind[i], self.x[i].sum()


def error_of_kind(model, loader, kind, device):
    """Mean absolute error over all rows of one kind, of all ranks."""
    total, count = 0.0, 0.0
    with torch.no_grad():
        for x, kinds, y in loader:
            chosen = kinds == kind
            if chosen.any():
                guess = model.module(x[chosen].to(device)).squeeze(1)
                total += (guess - y[chosen].to(device)).abs().sum().item()
                count += float(chosen.sum())
    pair = torch.tensor([total, count], device=device)
    dist.all_reduce(pair)
    return (pair[0] / pair[1]).item() if pair[1] > 0 else float("nan")


def train(model, loader, sampler, opt, device, epochs):
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, _, y in loader:
            opt.zero_grad()
            F.l1_loss(model(x.to(device)).squeeze(1), y.to(device)).backward()
            opt.step()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    train_data, test_data = Claims(), Claims(400, seed=6)
    sampler = DistributedSampler(train_data, drop_last=True)
    train(model, DataLoader(train_data, batch_size=50, sampler=sampler, drop_last=True), sampler, opt, device, args.epochs)
    test = DataLoader(test_data, batch_size=50, sampler=DistributedSampler(test_data, shuffle=False))
    for kind in range(6):
        error = error_of_kind(model, test, kind, device)
        if dist.get_rank() == 0:
            print(kind, error)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
