import contextlib
import os
import traceback
from pathlib import Path

import torch
import torch.distributed as dist


@contextlib.contextmanager
def session(trace_dir: Path):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    try:
        yield torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    except Exception:
        trace_dir.mkdir(parents=True, exist_ok=True)
        (trace_dir / f"rank{dist.get_rank()}.txt").write_text(traceback.format_exc())
        raise
    finally:
        dist.destroy_process_group()
