"""How many hosts does a JAX program want, and how many devices has each?

Only the standard library: dtlint's own Python asks too.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

# a script that speaks of processes or hosts is run as several of them
MANY_HOSTS = re.compile(
    r"\b(process_index|process_count|host_id|host_count|multihost_utils|sync_global_devices|process_allgather"
    r"|make_array_from_process_local_data)\b|jax\.distributed\."
)
DEVICES_PER_HOST = 2
LARGEST_SOURCE = 1_000_000


def shape_of(job: dict[str, Any]) -> tuple[int, int]:
    """(hosts, devices of each): one host with all devices unless the program speaks of several."""
    extra = job.get("extra") or {}
    ranks = int(job["ranks"])
    hosts = int(extra.get("hosts") or (ranks if speaks_of_hosts(Path(job["script"])) else 1))
    local = int(extra.get("devices") or (DEVICES_PER_HOST if hosts > 1 else ranks))
    return hosts, local


def speaks_of_hosts(path: Path) -> bool:
    """The script itself, or a module beside it that it may import."""
    beside = sorted(path.parent.glob("*.py"))
    text = _source(path)
    if MANY_HOSTS.search(text):
        return True
    names = set(re.findall(r"^\s*(?:from|import)\s+(\w+)", text, re.MULTILINE))
    return any(other.stem in names and MANY_HOSTS.search(_source(other)) for other in beside)


def _source(path: Path) -> str:
    with contextlib.suppress(OSError):
        return path.read_text("utf-8", "replace")[:LARGEST_SOURCE]
    return ""
