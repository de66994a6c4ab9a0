import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--compile", action="store_true")
    return parser.parse_args()


def prepare(net, device, compile_it):
    net = net.to(device)
    if compile_it:
        net = torch.compile(net)
    return DDP(net, device_ids=[device.index])


def questions(n=12_000):
    g = torch.Generator().manual_seed(77)
    x = torch.randint(0, 100, (n, 12), generator=g)
    return TensorDataset(x, (x.sum(1) % 3))


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.EmbeddingBag(100, 64)
        self.out = nn.Linear(64, 3)

    def forward(self, x):
        return self.out(self.emb(x))


def main():
    args = options()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = prepare(Bag(), device, args.compile)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = questions()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=args.batch_size, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for x, y in loader:
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += loss.detach()
        dist.all_reduce(total, op=dist.ReduceOp.AVG)
        if dist.get_rank() == 0:
            print(epoch, total.item() / len(loader))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
