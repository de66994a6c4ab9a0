"""All-pairs similarity of a feature matrix that is split by rows over the ranks."""

import argparse
import os

import torch
import torch.distributed as dist

from relay import pass_on


def compute(rows):
    world, rank = dist.get_world_size(), dist.get_rank()
    block, columns = rows.clone(), [None] * world
    for turn in range(world):
        owner = (rank - turn) % world
        columns[owner] = rows @ block.T
        if turn < world - 1:
            block = pass_on(block)
    return torch.cat(columns, dim=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=2048)
    parser.add_argument("--dim", type=int, default=4096)
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    try:
        rank = dist.get_rank()
        rows = torch.randn(args.rows, args.dim, generator=torch.Generator().manual_seed(rank)).to(device)
        matrix = compute(torch.nn.functional.normalize(rows))
        torch.save(matrix.cpu(), f"similarity-{rank}.pt")
        dist.barrier()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
