import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler, TensorDataset


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=16)
    args = parser.parse_args()
    args.local_rank = int(os.environ.get("LOCAL_RANK", 0)) or -1
    return args


def setup(args):
    cuda = torch.cuda.is_available()
    if args.local_rank == -1:
        return torch.device("cuda" if cuda else "cpu")
    if cuda:
        torch.cuda.set_device(args.local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", args.local_rank) if cuda else torch.device("cpu")


def main():
    args = options()
    device = setup(args)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2)).to(device)
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(320, 5, generator=g), torch.randint(0, 2, (320,), generator=g))
    if args.local_rank != -1:
        model = DDP(net, device_ids=[args.local_rank] if device.type == "cuda" else None)
        sampler = DistributedSampler(data, drop_last=True)
    else:
        model, sampler = net, RandomSampler(data)
    loader = DataLoader(data, batch_size=args.batch_size, sampler=sampler, drop_last=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(args.epochs):
        if isinstance(sampler, DistributedSampler):
            sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if args.local_rank == -1 or dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
    if args.local_rank != -1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
