import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def make_parser():
    parser = argparse.ArgumentParser(description="Fits a small regression on every rank")
    parser.add_argument("--out", type=Path, default=Path("runs/default"))
    parser.add_argument("--overwrite", action="store_true")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=16)
    return parser


def prepare_output(parser, args, rank):
    if rank == 0:
        if args.out.exists() and not args.overwrite:
            parser.error(f"{args.out} exists, use --overwrite")
        args.out.mkdir(parents=True, exist_ok=True)


def regression(n=512):
    g = torch.Generator().manual_seed(61)
    x = torch.randn(n, 11, generator=g)
    return TensorDataset(x, x @ torch.randn(11, 1, generator=g))


def main():
    parser = make_parser()
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    prepare_output(parser, args, rank)

    torch.manual_seed(0)
    net = nn.Linear(11, 1).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    data = regression()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=args.batch_size, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
    if rank == 0:
        torch.save(net.state_dict(), args.out / "linear.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
