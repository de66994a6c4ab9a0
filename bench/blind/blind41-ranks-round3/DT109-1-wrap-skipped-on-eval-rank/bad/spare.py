import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = nn.Linear(16, 16).cuda()
    if rank < world - 1:
        model = DDP(model, device_ids=[local_rank])
        opt = torch.optim.SGD(model.parameters(), lr=0.1)
        gen = torch.Generator().manual_seed(0)
        data = TensorDataset(torch.randn(1600, 16, generator=gen))
        sampler = DistributedSampler(data, num_replicas=world - 1, rank=rank, drop_last=True)
        loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
        for epoch in range(2):
            sampler.set_epoch(epoch)
            for (x,) in loader:
                x = x.cuda()
                opt.zero_grad()
                (model(x) - x).abs().mean().backward()
                opt.step()
        model = model.module
    for value in model.state_dict().values():
        dist.broadcast(value, src=0)
    if rank == world - 1:
        print("weights received", model.weight.norm().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
