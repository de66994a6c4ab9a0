import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def build():
    torch.manual_seed(0)
    return nn.Linear(6, 2)


def train(args):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    net = build().to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    x = torch.randn(256, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, (x[:, 0] > 0).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for bx, by in loader:
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(model(bx.to(device)), by.to(device)).backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), args.weights)
    dist.destroy_process_group()


def export(args):
    net = build()
    net.load_state_dict(torch.load(args.weights, map_location="cpu", weights_only=True))
    scripted = torch.jit.trace(net.eval(), torch.zeros(1, 6))
    scripted.save(str(args.out))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--weights", type=Path, default=Path("weights.pt"))
    sub = ap.add_subparsers(dest="command", required=True)
    t = sub.add_parser("train")
    t.add_argument("--lr", type=float, default=0.1)
    t.add_argument("--epochs", type=int, default=2)
    t.set_defaults(func=train)
    e = sub.add_parser("export")
    e.add_argument("--out", type=Path, default=Path("model.ts"))
    e.set_defaults(func=export)
    args = ap.parse_args()
    args.func(args)


if __name__ == "__main__":
    main()
