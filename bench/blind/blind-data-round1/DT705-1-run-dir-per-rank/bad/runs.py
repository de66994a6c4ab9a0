from datetime import datetime
from pathlib import Path

import torch.distributed as dist


def new_run(root="runs", tag="base"):
    """All ranks write their shards of a checkpoint below this folder."""
    stamp = [datetime.now().strftime("%Y%m%d-%H%M%S")]
    run = Path(root) / f"{tag}-{stamp[0]}"
    run.mkdir(parents=True, exist_ok=True)
    return run
