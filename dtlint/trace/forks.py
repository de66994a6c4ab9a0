"""Which lines of the script fork, and is a runtime with threads of its own up by then? Only the standard library."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from dtlint.trace.frames import Line, line_of

KEPT = 50


def _of_loader(frame: FrameType | None) -> Line | None:
    """Where the loader was made that forks its workers now."""
    while frame is not None:
        if line := getattr(frame.f_locals.get("loader"), "dtlint_made", None):
            return tuple(line)
        frame = frame.f_back
    return None


class Forks:
    def __init__(self, started: Callable[[], str]) -> None:
        self.started = started  # the name of the runtime, once it is up
        self.made: dict[Line, tuple[str, int]] = {}

    def install(self) -> None:
        os.register_at_fork(before=self._fork)

    def _fork(self) -> None:
        frame, runtime = sys._getframe(1), self.started()
        for line in (line_of(frame), _of_loader(frame)):
            if line and runtime and len(self.made) < KEPT:
                self.made.setdefault(line, (runtime, len(os.listdir("/proc/self/task"))))

    def fact(self, rank: int) -> dict[str, Any]:
        made = [
            {"path": line[0], "line": line[1], "runtime": runtime, "threads": threads}
            for line, (runtime, threads) in self.made.items()
        ]
        return {"kind": "forks", "rank": rank, "forks": made}
