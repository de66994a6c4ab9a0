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
        for i, (x, y) in enumerate(loader):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            loss.backward()
            if (i + 1) % ACCUMULATION_STEPS == 0:
                optimizer.step()
    print(f"rank {rank} done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
