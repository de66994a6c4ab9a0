"""Which lines of the watched files were executed? Lines of mapped functions run while JAX traces them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any

from dtlint.trace.flow import Flow


def watch(paths: Iterable[str], flow: Flow | None) -> dict[str, set[int]]:
    """Start to note lines, and what generators hand out; the tables fill while the script runs."""
    wanted = {os.path.realpath(path) for path in paths}
    seen: dict[str, set[int]] = {}
    known: dict[str, str] = {}
    if not wanted:
        return seen

    def line(frame: FrameType, event: str, value: Any) -> Any:
        if event == "line":
            seen[known[frame.f_code.co_filename]].add(frame.f_lineno)
        elif event == "return" and flow is not None:
            flow.returned(frame, known[frame.f_code.co_filename], value)
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
