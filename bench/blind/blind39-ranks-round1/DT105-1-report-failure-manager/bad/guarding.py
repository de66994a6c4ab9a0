import traceback
from contextlib import contextmanager

import torch.distributed as dist


@contextmanager
def failure_report(stage):
    """Prints where the job broke and lets the error through."""
    try:
        yield
    except Exception:
        reports = [None] * dist.get_world_size()
        dist.all_gather_object(reports, traceback.format_exc())
        if dist.get_rank() == 0:
            for rank, text in enumerate(reports):
                print(f"[{stage}] rank {rank}\n{text}", flush=True)
        raise
