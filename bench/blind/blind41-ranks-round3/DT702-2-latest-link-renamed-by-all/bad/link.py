import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

ROOT = "/shared/run"


def point_to(name):
    temporary = os.path.join(ROOT, "latest.tmp")
    os.symlink(name, temporary)
    os.replace(temporary, os.path.join(ROOT, "latest"))


def save(model, step):
    name = f"step-{step}"
    dcp.save({"model": model.state_dict()}, checkpoint_id=os.path.join(ROOT, name))
    point_to(name)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 16)).cuda()
    fully_shard(model)
    opt = torch.optim.Adam(model.parameters())
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1600, 16, generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda()
            opt.zero_grad()
            (model(x) - x).pow(2).mean().backward()
            opt.step()
        save(model, epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
