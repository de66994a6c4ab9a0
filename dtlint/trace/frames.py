"""Which line of the user's code is this? The filter between user code and everything installed."""

from __future__ import annotations

import functools
import linecache
import os
import sysconfig
from types import FrameType, TracebackType

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEPTH = 12

Line = tuple[str, int]


@functools.cache
def is_user_file(path: str) -> bool:
    """Neither the standard library, nor an installed package, nor dtlint, nor generated code."""
    if not path or path.startswith("<"):
        return False
    full = os.path.realpath(path)
    if "site-packages" in full or "dist-packages" in full:
        return False
    return not full.startswith((os.path.join(HERE, ""), *_library_directories()))


@functools.cache
def _library_directories() -> tuple[str, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple(os.path.join(os.path.realpath(sysconfig.get_paths()[name]), "") for name in names)


def _place(frame: FrameType, line: int) -> dict[str, object]:
    code = frame.f_code
    return {"path": code.co_filename, "line": line, "function": getattr(code, "co_qualname", code.co_name)}


def user_stack(frame: FrameType | None) -> list[dict[str, object]]:
    """The user's frames, outermost first."""
    found = []
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            found.append(_place(frame, frame.f_lineno))
        frame = frame.f_back
    return found[:DEPTH][::-1]


def line_of(frame: FrameType | None) -> Line | None:
    """The innermost line of the user's code."""
    stack = user_stack(frame)
    return (os.path.realpath(str(stack[-1]["path"])), int(str(stack[-1]["line"]))) if stack else None


def failure_stack(traceback: TracebackType | None) -> tuple[list[dict[str, object]], bool]:
    """The user's frames of an exception, and whether a `raise` or `assert` of the user started it."""
    found, innermost = [], None
    while traceback is not None:
        frame, line = traceback.tb_frame, traceback.tb_lineno
        user = is_user_file(frame.f_code.co_filename)
        if user:
            found.append(_place(frame, line))
        innermost = (frame.f_code.co_filename, line) if user else None
        traceback = traceback.tb_next
    if innermost is None:
        return found[-DEPTH:], False
    text = linecache.getline(*innermost).strip()
    return found[-DEPTH:], text.startswith(("raise", "assert"))
