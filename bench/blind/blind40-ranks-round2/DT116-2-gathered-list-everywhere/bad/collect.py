import itertools

import torch.distributed as dist


def gather_rows(rows, dst=0):
    """Rows of all ranks, in the order of the ranks."""
    rank, world = dist.get_rank(), dist.get_world_size()
    parts = [None] * world
    dist.gather_object(rows, parts if rank == dst else None, dst=dst)
    return list(itertools.chain.from_iterable(parts))
