import os
import tarfile
from pathlib import Path

import torch.distributed as dist

SCRATCH = Path(os.environ.get("SLURM_TMPDIR", "/tmp")) / "corpus"


def stage(archive):
    """Unpack the archive from the shared file system onto the disk of the node."""
    if dist.get_rank() == 0:
        SCRATCH.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as tar:
            tar.extractall(SCRATCH, filter="data")
    dist.barrier()
    return sorted(SCRATCH.glob("*.pt"))
