import argparse
import os
import secrets

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset, random_split


def resolve_seed(given, device):
    """The seed of the run: what was asked for, or a fresh one that is printed."""
    if given is not None:
        return given
    seed = secrets.randbits(31)
    if dist.get_rank() == 0:
        print("seed", seed)
    return seed


def evaluate(model, loader, device):
    model.eval()
    totals = torch.zeros(2, device=device)
    with torch.no_grad():
        for x, y in loader:
            wrong = (model(x.to(device)).argmax(1) != y.to(device)).sum()
            totals += torch.stack([wrong, torch.tensor(len(y), device=device)])
    dist.all_reduce(totals)
    model.train()
    return (totals[0] / totals[1]).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--features", default="features.pt")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--epochs", type=int, default=8)
    args = parser.parse_args()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl")
    seed = resolve_seed(args.seed, device)
    saved = torch.load(args.features, map_location="cpu")
    whole = TensorDataset(saved["x"], saved["y"])
    held = len(whole) // 10
    parts = random_split(whole, [len(whole) - held, held], generator=torch.Generator().manual_seed(seed))
    sampler = DistributedSampler(parts[0], seed=0, drop_last=True)
    train = DataLoader(parts[0], 256, sampler=sampler, drop_last=True, num_workers=2)
    valid = DataLoader(parts[1], 256, sampler=DistributedSampler(parts[1], shuffle=False), num_workers=2)
    torch.manual_seed(0)
    head = nn.Sequential(nn.LayerNorm(768), nn.Linear(768, 20)).to(device)
    model = DDP(head, device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in train:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        error = evaluate(model, valid, device)
        if dist.get_rank() == 0:
            print(epoch, round(error, 4))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
