import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import toy


def train_epoch(model, optimizer, loader, device):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    rank, device = toy.start()
    model = DDP(toy.network().to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loader, sampler = toy.sharded_loader()
    for epoch in range(3):
        sampler.set_epoch(epoch)
        try:
            train_epoch(model, optimizer, loader, device)
        except RuntimeError as e:
            print(f"rank {rank} failed in epoch {epoch}: {e}")
            raise
    print(f"rank {rank} done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
