from contextlib import contextmanager

import torch.distributed as dist


@contextmanager
def lead_first(rank):
    """The lead runs the block first; the others come when it is done."""
    if rank != 0:
        dist.barrier()
    yield rank == 0
    if rank == 0:
        dist.barrier()
