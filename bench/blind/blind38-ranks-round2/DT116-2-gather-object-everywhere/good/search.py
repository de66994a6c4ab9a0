import argparse
import math
import os
import random

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


def candidates(count, seed):
    draw = random.Random(seed)
    return [{"lr": 10 ** draw.uniform(-4, -1), "width": draw.choice([16, 32, 64])} for _ in range(count)]


def data(seed=1, n=1024):
    gen = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 3, generator=gen) * 2 - 1
    return x, torch.sin(3 * x).prod(dim=1, keepdim=True)


def score(choice, steps=200):
    """Trains one small net for a while; each candidate belongs to one rank."""
    torch.manual_seed(0)
    x, y = data()
    net = nn.Sequential(nn.Linear(3, choice["width"]), nn.Tanh(), nn.Linear(choice["width"], 1))
    opt = torch.optim.Adam(net.parameters(), lr=choice["lr"])
    for _ in range(steps):
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
    return loss.item() if math.isfinite(loss.item()) else float("inf")


def tournament(pool, rank, world):
    """The better half of the pool, the same on all ranks."""
    mine = [(score(choice), number) for number, choice in enumerate(pool) if number % world == rank]
    results = [None] * world
    dist.all_gather_object(results, mine)
    ranking = sorted(pair for part in results for pair in part)
    return [pool[number] for _, number in ranking[: max(1, len(pool) // 2)]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pool", type=int, default=16)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.set_num_threads(int(os.environ.get("THREADS", "1")))
    pool = candidates(args.pool, seed=5)
    while len(pool) > 1:
        pool = tournament(pool, rank, world)
        if rank == 0:
            print(len(pool), "left, first", pool[0])
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
