import os
from collections import Counter
from functools import reduce
from operator import add

import torch
import torch.distributed as dist


def local_counts(rank, world):
    g = torch.Generator().manual_seed(7)
    values = torch.randint(0, 20, (1000,), generator=g)[rank::world]
    return Counter(values.tolist())


def merged(counts):
    parts = [None] * dist.get_world_size()
    dist.gather_object(counts, parts if dist.get_rank() == 0 else None, dst=0)
    return reduce(add, parts)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    total = merged(local_counts(rank, dist.get_world_size()))
    weights = torch.tensor([1.0 / (1 + total[i]) for i in range(20)])
    if rank == 0:
        print("rarest", int(weights.argmax()), "of", sum(total.values()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
