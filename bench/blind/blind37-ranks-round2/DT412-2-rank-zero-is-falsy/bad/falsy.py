import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def start():
    """(rank, device); rank is None if this is a plain single-process run."""
    cuda = torch.cuda.is_available()
    if "RANK" not in os.environ:
        return None, torch.device("cuda" if cuda else "cpu")
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    return dist.get_rank(), torch.device("cuda", local_rank) if cuda else torch.device("cpu")


def wrap(net, rank, device):
    if not rank:
        return net
    return DDP(net, device_ids=[device.index] if device.type == "cuda" else None)


def loader_for(data, rank, batch_size):
    if rank is None:
        return DataLoader(data, batch_size=batch_size, shuffle=True, drop_last=True), None
    sampler = DistributedSampler(data, drop_last=True)
    return DataLoader(data, batch_size=batch_size, sampler=sampler, drop_last=True), sampler


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--batch-size", type=int, default=16)
    args = ap.parse_args()
    rank, device = start()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(9, 27), nn.ReLU(), nn.Linear(27, 1)).to(device)
    model = wrap(net, rank, device)
    opt = torch.optim.SGD(model.parameters(), lr=0.02)
    x = torch.randn(320, 9, generator=torch.Generator().manual_seed(4))
    loader, sampler = loader_for(TensorDataset(x, x.norm(dim=1, keepdim=True)), rank, args.batch_size)
    for epoch in range(args.epochs):
        if sampler is not None:
            sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(a.to(device)), b.to(device)).backward()
            opt.step()
    if rank in (None, 0):
        torch.save(net.state_dict(), "falsy.pt")
    if rank is not None:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
