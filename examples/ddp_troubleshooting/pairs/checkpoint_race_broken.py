import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import toy


def save_checkpoint(model, path):
    torch.save(model.module.state_dict(), path + ".partial")
    os.replace(path + ".partial", path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--path", default="checkpoint.pt")
    path = parser.parse_args().path
    rank, device = toy.start()
    model = DDP(toy.network().to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loader, sampler = toy.sharded_loader()
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if rank == 0:
        save_checkpoint(model, path)
    model.module.load_state_dict(torch.load(path, map_location=device, weights_only=True))
    print(f"rank {rank} done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
