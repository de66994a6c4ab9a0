import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import launch


def main(epochs=2):
    local_rank = int(os.environ["LOCAL_RANK"])
    if local_rank == 0:
        print(launch.describe())
    launch.restrict_to(local_rank)
    torch.cuda.set_device(0)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(64, 8).to("cuda:0"), device_ids=[0])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    g = torch.Generator().manual_seed(6)
    data = TensorDataset(torch.randn(4096, 64, generator=g), torch.randint(0, 8, (4096,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x.to("cuda:0")), y.to("cuda:0")).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
