import sys
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn

from segments import segments


class Bigram(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(256, 256)

    def forward(self, a):
        return self.table(a)


def average(model):
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()


def main(root):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = Bigram()
    optimizer = torch.optim.SGD(model.parameters(), 1.0)
    own = Path(root) / f"part{dist.get_rank()}.txt"
    pairs = list(segments(own, 64))
    turns = torch.tensor(len(pairs))
    dist.all_reduce(turns, op=dist.ReduceOp.MIN)
    for a, b in pairs[: int(turns)]:
        if len(a) != len(b):
            a = a[: len(b)]
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(a), b).backward()
        average(model)
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
