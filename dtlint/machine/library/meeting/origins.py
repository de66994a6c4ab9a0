"""Where do the processes of a run come from?"""

from __future__ import annotations

from typing import Any

SPAWNED = "spawned"  # of a run: what begins in processes of this machine, and
WORKED = "worked"  # what begins in those of workers, on whichever machines
SITES = "spawned at"  # where either was begun


def spawns(run: Any) -> bool:
    """Does this program (the machine while it runs, or its run) start its ranks itself, on its own machine?"""
    return bool(run.facts.get(SPAWNED))
