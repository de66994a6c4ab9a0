import argparse
import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--out", default="codec.pt")
    return p.parse_args()


@contextlib.contextmanager
def process_group():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    try:
        yield dist.get_rank()
    finally:
        dist.destroy_process_group()


class Codec(nn.Module):
    def __init__(self, dim: int = 48, code: int = 8):
        super().__init__()
        self.enc = nn.Linear(dim, code)
        self.dec = nn.Linear(code, dim)

    def forward(self, x):
        return self.dec(torch.tanh(self.enc(x)))


def batches(loader):
    for (x,) in loader:
        yield x.cuda(non_blocking=True)


def main():
    args = parse()
    with process_group() as rank:
        torch.manual_seed(0)
        codec = Codec().cuda()
        model = DDP(codec)
        opt = torch.optim.Adam(model.parameters(), lr=args.lr)
        data = TensorDataset(torch.randn(4096, 48, generator=torch.Generator().manual_seed(3)))
        sampler = DistributedSampler(data, drop_last=True)
        loader = DataLoader(data, batch_size=args.batch_size, sampler=sampler, pin_memory=True, drop_last=True)
        for epoch in range(args.epochs):
            sampler.set_epoch(epoch)
            for x in batches(loader):
                opt.zero_grad()
                F.mse_loss(model(x), x).backward()
                opt.step()
        if rank == 0:
            torch.save(codec.state_dict(), args.out)


if __name__ == "__main__":
    main()
