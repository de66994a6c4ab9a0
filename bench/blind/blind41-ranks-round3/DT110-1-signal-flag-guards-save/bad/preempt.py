import os
import signal

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

STATE = {"term": False}


def on_term(number, frame):
    STATE["term"] = True


def asked(device):
    return STATE["term"]


def main():
    signal.signal(signal.SIGTERM, on_term)
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 32)).to(device)
    fully_shard(model)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(3200, 32, generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(20):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            opt.zero_grad()
            (model(x) - x).pow(2).mean().backward()
            opt.step()
            if asked(device):
                dcp.save({"model": model.state_dict()}, checkpoint_id="/shared/preempted")
                dist.destroy_process_group()
                return
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
