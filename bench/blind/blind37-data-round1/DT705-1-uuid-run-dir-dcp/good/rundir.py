import uuid
from pathlib import Path

import torch.distributed as dist


def new_run(root):
    name = [uuid.uuid4().hex[:8]]
    dist.broadcast_object_list(name, src=0)
    run = Path(root) / name[0]
    run.mkdir(parents=True, exist_ok=True)
    return run
