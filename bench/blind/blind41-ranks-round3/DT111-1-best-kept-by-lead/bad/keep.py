import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Best:
    def __init__(self, path):
        self.path, self.value = path, float("inf")

    def offer(self, value, model):
        if value >= self.value:
            return
        if dist.get_rank() == 0:
            self.value = value
            torch.save(model.module.state_dict(), self.path)
        dist.barrier()


def validate(model, device):
    gen = torch.Generator().manual_seed(77)
    x = torch.randn(512, 14, generator=gen)
    part = x.chunk(dist.get_world_size())[dist.get_rank()].to(device)
    with torch.no_grad():
        loss = F.mse_loss(model(part), part.cumsum(1))
    dist.all_reduce(loss, op=dist.ReduceOp.AVG)
    return loss.item()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    model = DDP(nn.Linear(14, 14).to(device), device_ids=[local_rank])
    opt = torch.optim.Adam(model.parameters())
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(2800, 14, generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=28, sampler=sampler, drop_last=True)
    best = Best("best.pt")
    for epoch in range(10):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            opt.zero_grad()
            F.mse_loss(model(x), x.cumsum(1)).backward()
            opt.step()
        best.offer(validate(model, device), model)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
