"""Which files did this process change and read, and from which line? What Python's audit events tell.

Only the standard library. An audit hook cannot be taken off again: this belongs in a process that ends with its script.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from dtlint.trace.frames import user_stack

CHANGES = {
    "os.mkdir": "mkdir",
    "os.remove": "remove",
    "os.rmdir": "rmdir",
    "os.rename": "rename",
    "os.truncate": "truncate",
    "shutil.rmtree": "rmtree",
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_TRUNC | os.O_CREAT
CAP = 500
LONGEST_STACK = 4


class Writes:
    """A table of what was written, filled while the script runs."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, str, int], dict[str, Any]] = {}
        self.busy = False

    def install(self) -> None:
        sys.addaudithook(self._event)

    def _event(self, name: str, arguments: tuple[Any, ...]) -> None:
        if self.busy or len(self.seen) >= CAP:
            return
        if name == "open":
            _, mode, flags = arguments
            writes = any(letter in mode for letter in "wax+") if isinstance(mode, str) else bool(flags & WRITING)
            self.note(arguments[0], "open" if writes else "read", sys._getframe(1))
        elif name in CHANGES:
            self.note(arguments[0], CHANGES[name], sys._getframe(1))
            if name == "os.rename":
                self.note(arguments[1], "rename", sys._getframe(1))

    def note(self, path: Any, how: str, frame: Any) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return  # a descriptor: where it was opened, it had a name
        self.busy = True
        try:
            full = os.path.realpath(os.fsdecode(path))
            if full.startswith(("/dev/", "/proc/")) or "__pycache__" in full or (how == "read" and not is_data(full)):
                return
            stack = user_stack(frame)[-LONGEST_STACK:]
            if stack:
                line = int(str(stack[-1]["line"]))
                self.seen.setdefault((full, how, line), {"path": full, "how": how, "stack": stack})
        finally:
            self.busy = False

    def fact(self, rank: int) -> dict[str, Any]:
        return {"kind": "writes", "rank": rank, "writes": list(self.seen.values())}


def is_data(path: str) -> bool:
    """Neither code nor something installed."""
    return not path.endswith((".py", ".pyc", ".so", ".toml", ".cfg")) and not path.startswith(("/usr/", sys.prefix))
