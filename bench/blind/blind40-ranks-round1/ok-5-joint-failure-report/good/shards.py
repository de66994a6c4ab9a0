import logging
from pathlib import Path

import torch
import torch.distributed as dist

log = logging.getLogger(__name__)


class ShardError(RuntimeError):
    pass


def read_shard(root, rank):
    path = Path(root) / f"shard-{rank:05d}.pt"
    blob = torch.load(path, map_location="cpu", weights_only=True)
    return blob["x"], blob["y"]


def read_together(root, rank, world):
    """Read one shard per rank; either every rank succeeds or every rank raises the same error."""
    problem, pair = None, (None, None)
    try:
        pair = read_shard(root, rank)
    except (OSError, KeyError) as err:
        problem = f"rank {rank}: {err!r}"
    problems = [None] * world
    dist.all_gather_object(problems, problem)
    problems = [p for p in problems if p]
    if problems:
        for line in problems if rank == 0 else ():
            log.error(line)
        raise ShardError("; ".join(problems))
    return pair


def equal_length(x, y, device):
    shortest = torch.tensor([len(x)], device=device)
    dist.all_reduce(shortest, op=dist.ReduceOp.MIN)
    n = int(shortest)
    return x[:n], y[:n]
