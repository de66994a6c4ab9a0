import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import toy


def main():
    rank, device = toy.start()
    model = DDP(toy.network().to(device))
    os.environ["NCCL_SOCKET_IFNAME"] = "eth0"
    os.environ["NCCL_TREE_THRESHOLD"] = "0"
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loader, sampler = toy.sharded_loader()
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"rank {rank} done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
