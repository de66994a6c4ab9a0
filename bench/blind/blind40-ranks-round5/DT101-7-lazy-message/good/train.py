import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def make_log(rank):
    """Messages are given as functions, so that nobody formats what is not shown."""
    if rank == 0:
        return lambda message: print(message(), flush=True)
    return lambda message: None


def world_mean(t):
    t = t.detach().clone()
    dist.all_reduce(t)
    return t.item() / dist.get_world_size()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    log = make_log(rank)
    torch.manual_seed(0)
    model = DDP(nn.Linear(9, 1).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters())
    x = torch.randn(720, 9, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x.mean(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=18, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            loss = nn.functional.mse_loss(model(xb.to(device)), yb.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
        mean = world_mean(loss)
        log(lambda: f"epoch {epoch}: last loss {mean:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
