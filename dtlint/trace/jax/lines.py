"""Which lines of the watched files were executed? Lines of mapped functions run while JAX traces them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any


def watch(paths: Iterable[str]) -> dict[str, set[int]]:
    """Start to note lines; the table fills while the script runs."""
    wanted = {os.path.realpath(path) for path in paths}
    seen: dict[str, set[int]] = {}
    known: dict[str, str] = {}
    if not wanted:
        return seen

    def line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            seen[known[frame.f_code.co_filename]].add(frame.f_lineno)
        return line

    def call(frame: FrameType, _: str, __: Any) -> Any:
        name = frame.f_code.co_filename
        if name not in known:
            known[name] = os.path.realpath(name)
        if known[name] not in wanted:
            return None
        seen.setdefault(known[name], set()).add(frame.f_lineno)
        return line

    sys.settrace(call)
    return seen


def stop(seen: dict[str, set[int]]) -> dict[str, Any] | None:
    """The record of what was seen, without a rank."""
    sys.settrace(None)
    if not seen:
        return None
    return {"type": "covered", "lines": {path: sorted(numbers) for path, numbers in seen.items()}}
