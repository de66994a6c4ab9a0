import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from stopping import LossFloor, StopTraining


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(5, 1).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    x = torch.randn(800, 5, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    floor = LossFloor(1e-3)
    try:
        for epoch in range(20):
            sampler.set_epoch(epoch)
            for xb, yb in loader:
                loss = nn.functional.mse_loss(model(xb.to(device)), yb.to(device))
                opt.zero_grad()
                loss.backward()
                opt.step()
                mean = loss.detach()
                dist.all_reduce(mean)
                floor(mean.item() / world)
    except StopTraining as reason:
        print(f"rank {rank}: {reason}")
    dist.barrier()
    if rank == 0:
        torch.save(model.module.state_dict(), "linear.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
