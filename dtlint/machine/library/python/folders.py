"""Whose is a folder, by what it is called: of one node, of all, or of either?"""

from __future__ import annotations

import re
from typing import Any

NODE_FOLDERS = ("TMPDIR", "SLURM_TMPDIR")  # environment variables that name a node's own folder
OF_NODE = frozenset({*NODE_FOLDERS, "TEMP", "TMP"})
OF_DISKS = frozenset({"LOCAL", "SCRATCH", "NVME", "SSD", "RAMDISK", "SHM"})


def said_to_be(variable: Any) -> str:
    """Where the folder lies that a variable names: `NODE_CACHE` on the node, `LOCAL_DIR` there or elsewhere."""
    words = set(str(variable).upper().split("_"))
    return "/tmp" if "NODE" in words else "/scratch" if words & OF_DISKS else ""


LOCAL = re.compile(
    r"/(?:tmp|var/tmp|dev/shm|(?:mnt/|scratch/)?(?:local[-_]?(?:scratch|disk|ssd|nvme|data|storage)?|raid|nvme|ssd))\d*(?:/|$)"
)


def node_local(where: str) -> bool:
    """A place that every node has for itself."""
    if any(part.upper() in NODE_FOLDERS for part in where.split("/")):
        return True  # the folder is called like the variable that names it
    return LOCAL.match(where) is not None


NETWORK = (
    "lustre", "gpfs", "nfs", "fsx", "beegfs", "efs", "weka", "wekafs", "cephfs", "filestore", "gcsfuse", "shared",
    "sharedfs", "shared_fs",
)  # fmt: skip
SHARED = re.compile(rf"(?:/(?:mnt|media|vol|volumes))?/(?:{'|'.join(NETWORK)})(?:/|$)|(?:gs|s3|hdfs):/")


def all_nodes(where: str) -> bool:
    """A place that by its name is one for all nodes of a cluster."""
    return SHARED.match(where) is not None


def of_either(where: str) -> bool:
    """`/scratch`: in one cluster each node has its own, in another one all have the same."""
    return re.match(r"/scratch\d*(?:/|$)", where) is not None and not node_local(where)
