import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

import toy


def main():
    rank, device = toy.start()
    model = DDP(toy.network().to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    data = toy.dataset()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(
        data,
        batch_size=16,
        sampler=sampler,
        num_workers=min(8, (os.cpu_count() or 1) // int(os.environ["LOCAL_WORLD_SIZE"])),
        drop_last=True,
    )
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
