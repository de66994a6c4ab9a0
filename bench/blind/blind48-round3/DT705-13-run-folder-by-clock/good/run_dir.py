from datetime import datetime
from pathlib import Path

import torch.distributed as dist


def make_run_dir(root):
    stamp = [datetime.now().strftime("%Y%m%d-%H%M%S")]
    dist.broadcast_object_list(stamp, src=0)
    path = Path(root) / stamp[0]
    path.mkdir(parents=True, exist_ok=True)
    return path
