import traceback
from contextlib import contextmanager

import torch.distributed as dist


@contextmanager
def failure_report(stage):
    """Prints where the job broke and lets the error through."""
    try:
        yield
    except Exception:
        print(f"[{stage}] rank {dist.get_rank()}\n{traceback.format_exc()}", flush=True)
        raise
