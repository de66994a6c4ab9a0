import os

import torch
import torch.distributed as dist

from exchange import make_exchange


def lines(path="corpus.txt"):
    with open(path) as f:
        for line in f:
            yield line.strip().lower()


def count_known(words, rank, world):
    known, index = 0, set(words)
    for i, line in enumerate(lines()):
        if i % world == rank:
            known += sum(w in index for w in line.split())
    return known


def main():
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("cpu:gloo,cuda:nccl")
    else:
        dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    words = make_exchange(rank, 5000).vocabulary(lines)
    total = torch.tensor([count_known(words, rank, world)])
    dist.all_reduce(total)
    if rank == 0:
        print(f"{len(words)} words cover {total.item()} tokens")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
