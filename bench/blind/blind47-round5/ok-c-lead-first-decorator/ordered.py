from contextlib import contextmanager

import torch.distributed as dist


@contextmanager
def lead_first():
    lead = dist.get_rank() == 0
    if not lead:
        dist.barrier()
    try:
        yield lead
    finally:
        if lead:
            dist.barrier()
