import argparse
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--global-batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--dry-run", action="store_true")
    args = parser.parse_args()
    world = int(os.environ["WORLD_SIZE"])
    if args.global_batch % world:
        parser.error(f"--global-batch must be a multiple of {world}")
    return args, args.global_batch // world


def main():
    args, batch = options()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 30), nn.ReLU(), nn.Linear(30, 1)).to(device)
    if args.dry_run:
        if rank == 0:
            print(net)
        dist.destroy_process_group()
        sys.exit(0)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(640, 10, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.prod(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=batch, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
