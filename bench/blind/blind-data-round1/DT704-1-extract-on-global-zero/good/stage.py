import os
import tarfile
from pathlib import Path

import torch.distributed as dist

SCRATCH = Path("/tmp/stage")


def local_rank():
    return int(os.environ["LOCAL_RANK"])


def stage_archive(archive):
    """Unpack the archive to this node's local disk, once per node."""
    target = SCRATCH / Path(archive).stem
    if local_rank() == 0 and not (target / ".complete").exists():
        target.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as tar:
            tar.extractall(target, filter="data")
        (target / ".complete").touch()
    dist.barrier()
    return target
