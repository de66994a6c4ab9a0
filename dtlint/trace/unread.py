"""Which environment variables did the script set, and does anything here read them?

A library may read a variable from C, or only in the next version: so it is not only the readings of this run that
count. No file that the process has loaded may have the name, while other names of that family are there.
Only the standard library.
"""

from __future__ import annotations

import mmap
import os
import re
import sys
from typing import Any

from dtlint.trace.frames import HERE, Line, is_user_file, line_of

# of the mapping: somebody sets the variable, or copies them all, and nobody asks for it by its name
RELATIVES = 5  # names of one family: as many show that it is read here at all
WORD = re.compile(rb"[A-Z][A-Z0-9_]{4,}(?![a-z])")
AS_A_WHOLE = ("copy", "__iter__", "items", "setdefault")


class Variables:
    def __init__(self) -> None:
        self.set: dict[tuple[Line, str], None] = {}
        self.read: set[str] = set()

    def install(self) -> None:
        kind: Any = type(os.environ)
        store, look_up = kind.__setitem__, kind.__getitem__

        def set_item(variables: Any, name: Any, value: Any) -> None:
            store(variables, name, value)
            if line := line_of(sys._getframe(1)):
                self.set[line, str(name)] = None

        def get_item(variables: Any, name: Any) -> Any:
            caller = sys._getframe(1)
            if caller.f_code.co_name == "__contains__" and caller.f_back is not None:
                caller = caller.f_back
            if caller.f_code.co_name not in AS_A_WHOLE:
                self.read.add(str(name))
            return look_up(variables, name)

        kind.__setitem__, kind.__getitem__ = set_item, get_item

    def fact(self, rank: int) -> dict[str, Any]:
        names = {name for _, name in self.set} - self.read
        files = _loaded_files() if names else []
        known = {name: _knows(files, name) for name in sorted(names)}
        table = [
            {"path": line[0], "line": line[1], "name": name, **known[name]} for line, name in self.set if name in known
        ]
        return {"kind": "variables", "rank": rank, "unread": table, "files": len(files)}


def _loaded_files() -> list[str]:
    """Libraries and modules of this process; not the script's own, which has set the variable, nor dtlint's."""
    found = {str(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())}
    found = {path for path in found if not is_user_file(path) and not path.startswith(os.path.join(HERE, ""))}
    with open("/proc/self/maps", encoding="utf-8") as maps:
        found |= {line.split(maxsplit=5)[5].strip() for line in maps if ".so" in line}
    return sorted(path for path in found if os.path.isfile(path))


def _knows(files: list[str], name: str) -> dict[str, Any]:
    """The first file that has the name, and a few others of its family that the files have."""
    relatives: set[bytes] = set()
    for path in files:
        try:
            with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
                # an option of JAX is written small where it is declared
                words = (name, name.lower()) if path.endswith(".py") else (name,)
                if any(text.find(word.encode()) >= 0 for word in words):
                    return {"known": os.path.basename(path), "relatives": []}
                _add_relatives(text, name.partition("_")[0].encode() + b"_", relatives)
        except (OSError, ValueError):
            continue
    return {"known": "", "relatives": sorted(word.decode() for word in relatives)}


def _add_relatives(text: mmap.mmap, family: bytes, found: set[bytes]) -> None:
    start = text.find(family) if len(found) < RELATIVES else -1
    while start >= 0 and len(found) < RELATIVES:
        if match := WORD.match(text, start):
            found.add(match.group())
        start = text.find(family, start + len(family))
