"""Trains or only evaluates a small classifier; both modes share the set-up."""
import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def digits(seed, rows):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 64, generator=g)
    return TensorDataset(x, x[:, :10].argmax(dim=1))


@torch.no_grad()
def accuracy(model, rows, device):
    model.eval()
    counts = torch.zeros(2, device=device)
    for x, y in DataLoader(rows, 256, sampler=DistributedSampler(rows, shuffle=False)):
        counts[0] += (model(x.to(device)).argmax(dim=1) == y.to(device)).sum()
        counts[1] += len(y)
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()


def fit(model, device, epochs):
    rows = digits(0, 8192)
    sampler = DistributedSampler(rows, shuffle=True, drop_last=True)
    loader = DataLoader(rows, 128, sampler=sampler, drop_last=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        model.train()
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--evaluate")
    cli.add_argument("--epochs", type=int, default=5)
    args = cli.parse_args()

    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).to(device)
    if args.evaluate:
        net.load_state_dict(torch.load(args.evaluate, map_location=device, weights_only=True))
        score = accuracy(net, digits(1, 1024), device)
        if dist.get_rank() == 0:
            print(f"accuracy {score:.4f}")
        return

    model = DDP(net, device_ids=[local] if cuda else None)
    fit(model, device, args.epochs)
    score = accuracy(net, digits(1, 1024), device)
    if dist.get_rank() == 0:
        print(f"accuracy {score:.4f}")
        torch.save(net.state_dict(), "digits.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
