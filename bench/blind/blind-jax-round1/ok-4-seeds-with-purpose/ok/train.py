import argparse

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from data import loaders


def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        total = sum(F.mse_loss(model(x)[:, 0], y, reduction="sum").item() for x, y in loader)
    model.train()
    return total / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(args.seed + rank)
    model = DDP(torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.Dropout(0.1), torch.nn.Linear(32, 1)))
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    train_loader, held_out = loaders(args.seed, 16, args.workers)
    for epoch in range(args.epochs):
        train_loader.sampler.set_epoch(epoch)
        for x, y in train_loader:
            noisy = x + 0.01 * torch.randn_like(x)
            opt.zero_grad(set_to_none=True)
            F.mse_loss(model(noisy)[:, 0], y).backward()
            opt.step()
        if rank == 0:
            print(f"epoch {epoch}: held-out {evaluate(model.module, held_out):.4f}")
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
