import os
from pathlib import Path

SHARED = Path(os.environ.get("SHARED_FS", "/mnt/nfs/project"))
SCRATCH = Path(os.environ.get("TMPDIR", "/tmp"))


def lead_of_node() -> bool:
    return int(os.environ["LOCAL_RANK"]) == 0


def lead() -> bool:
    return int(os.environ["RANK"]) == 0
