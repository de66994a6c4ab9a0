"""Fine-tune a sentence scorer with DDP. --seed makes a run repeatable; without it each run differs."""
import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", default="pairs.pt")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=None)
    return parser.parse_args()


def resolve_seed(args, device):
    if args.seed is not None:
        return args.seed
    seed = int(time.time() * 1000) % 2**31
    return seed


class Scorer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.left, self.right = nn.Linear(dim, 256), nn.Linear(dim, 256)

    def forward(self, a, b):
        return (self.left(a) * self.right(b)).sum(-1)


def run_epoch(model, loader, optimizer, device):
    model.train()
    for a, b, score in loader:
        a, b, score = (t.to(device, non_blocking=True) for t in (a, b, score))
        loss = nn.functional.mse_loss(model(a, b), score)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


def main():
    args = parse_args()
    dist.init_process_group("nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    seed = resolve_seed(args, device)
    if dist.get_rank() == 0:
        print("seed", seed, flush=True)

    blob = torch.load(args.features, map_location="cpu")
    data = TensorDataset(blob["a"], blob["b"], blob["score"])
    sampler = DistributedSampler(data, shuffle=True, seed=seed, drop_last=True)
    loader = DataLoader(data, batch_size=args.batch_size, sampler=sampler, drop_last=True)
    model = DDP(Scorer(blob["a"].shape[1]).to(device), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        run_epoch(model, loader, optimizer, device)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "scorer.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
