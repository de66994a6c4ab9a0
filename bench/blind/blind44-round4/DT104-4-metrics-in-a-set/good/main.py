import torch
import torch.distributed as dist

from scores.board import Board


def judge(x):
    yield "mean", x.mean().item()
    yield "peak", x.max().item()
    yield "energy", x.square().sum().item()


def main(items=64):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    board = Board(["mean", "peak", "energy", "mean"])
    for i in range(rank, items, world):
        x = torch.randn(100, generator=torch.Generator().manual_seed(i))
        for name, value in judge(x):
            board.add(name, value)
    merged = board.merged()
    if rank == 0:
        print(merged)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
