import uuid
from pathlib import Path

import torch.distributed as dist


def new_run(root):
    run = Path(root) / uuid.uuid4().hex[:8]
    run.mkdir(parents=True, exist_ok=True)
    return run
