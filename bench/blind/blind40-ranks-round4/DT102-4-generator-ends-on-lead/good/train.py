import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

STEPS = int(os.environ.get("PROFILE_STEPS", "0"))


def watched(loader, rank, steps):
    """Batches of the loader; the lead profiles the first few of them."""
    if rank != 0 or steps == 0:
        yield from loader
        return
    plan = schedule(wait=1, warmup=1, active=max(steps - 2, 1))
    with profile(activities=[ProfilerActivity.CPU], schedule=plan) as prof:
        for number, batch in enumerate(loader):
            yield batch
            if number < steps:
                prof.step()
    prof.export_chrome_trace("lead.json")


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(16, 4).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(960, 16, generator=torch.Generator().manual_seed(6))
    data = TensorDataset(x, x[:, :4].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=24, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for xb, yb in watched(loader, rank, STEPS):
            opt.zero_grad()
            nn.functional.cross_entropy(model(xb.to(device)), yb.to(device)).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
