import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from meters import meter_for


def build_data():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(1200, 9, generator=g)
    return TensorDataset(x, (x.norm(dim=1) > 3).float())


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(9, 36), nn.ReLU(), nn.Linear(36, 1)).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    data = build_data()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=30, sampler=sampler, drop_last=True)
    meter = meter_for(rank, ("loss", "accuracy"), device)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            logit = model(x).squeeze(1)
            loss = nn.functional.binary_cross_entropy_with_logits(logit, y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            hits = ((logit > 0) == (y > 0.5)).float().mean()
            meter.add(n=len(x), loss=loss.detach(), accuracy=hits)
        shown = meter.collect()
        if rank == 0:
            print(epoch, " ".join(f"{k}={v:.4f}" for k, v in shown.items()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
