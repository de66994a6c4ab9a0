import contextlib

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import toy

ACCUMULATION_STEPS = 4


def main():
    rank, device = toy.start()
    model = DDP(toy.network().to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loader, sampler = toy.sharded_loader(samples=16 * 2 * 10)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        window = 0
        for i, (x, y) in enumerate(loader):
            start = i - i % ACCUMULATION_STEPS
            window = min(ACCUMULATION_STEPS, len(loader) - start)
            last = i + 1 == start + window
            with contextlib.nullcontext() if last else model.no_sync():
                loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
                (loss / window).backward()
            if last:
                optimizer.step()
                optimizer.zero_grad()
    print(f"rank {rank} done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
