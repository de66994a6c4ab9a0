"""What does a file import? Read off the bytes, before anything is parsed."""

from __future__ import annotations

import re
from dataclasses import dataclass

# `from x import (a, b)` over several lines, `import a.b as c, d`, and either of them behind a semicolon is rare
# enough to be left to the parser. A match inside a string costs an edge in the import graph and no more.
_IMPORT = re.compile(
    rb"^[ \t]*(?:>>>[ \t]*)?(?:"
    rb"from[ \t]+(?P<module>\.*[ \t]*[\w.]*)[ \t]+import[ \t]*(?P<names>\([^)]*\)|(?:[^\n#;\\]|\\\r?\n)+)"
    rb"|import[ \t]+(?P<modules>(?:[^\n#;\\(]|\\\r?\n)+))",
    re.MULTILINE,
)
# a block that no interpreter runs: its lines are indented deeper than the `if`, or empty
_TYPES = re.compile(
    rb"^(?P<indent>[ \t]*)if[ \t]+(?:\w+\.)?TYPE_CHECKING[ \t]*:[^\n]*\n(?:(?:(?P=indent)[ \t]+[^\n]*|[ \t\r]*)\n)+",
    re.MULTILINE,
)
_COMMENT = re.compile(rb"#[^\n]*")
_WORD = re.compile(rb"[\w.]+|\*")


@dataclass(frozen=True, slots=True)
class ImportLine:
    """`from module import names`, or `import module` when `names` is empty. `bound` are the local names."""

    module: str
    level: int
    names: tuple[str, ...]
    bound: tuple[str, ...]
    for_types: bool = False  # under `if TYPE_CHECKING:`


def scan_imports(data: bytes) -> tuple[ImportLine, ...]:
    if b"import" not in data:
        return ()
    found: list[ImportLine] = []
    blocks = [match.span() for match in _TYPES.finditer(data)] if b"TYPE_CHECKING" in data else []
    for match in _IMPORT.finditer(data):
        for_types = any(start < match.start() < end for start, end in blocks)
        modules = match.group("modules")
        if modules is not None:
            for dotted, alias in _names(modules):
                found.append(ImportLine(dotted, 0, (), (alias or dotted.partition(".")[0],), for_types))
            continue
        module = match.group("module").replace(b" ", b"").replace(b"\t", b"").decode("utf-8", "replace")
        pairs = _names(match.group("names"))
        if not pairs:
            continue
        name = module.lstrip(".")
        found.append(
            ImportLine(
                name,
                len(module) - len(name),
                tuple([written for written, _ in pairs]),
                tuple([alias or written for written, alias in pairs]),
                for_types,
            )
        )
    return tuple(found)


def _names(written: bytes) -> list[tuple[str, str]]:
    """(name, alias or "") of `a as b, c`."""
    if b"#" in written:
        written = _COMMENT.sub(b"", written)
    pairs: list[tuple[str, str]] = []
    for item in written.strip(b"() \t\r\n").split(b","):
        words = [word.decode("utf-8", "replace") for word in _WORD.findall(item)]
        if len(words) == 1:
            pairs.append((words[0], ""))
        elif len(words) == 3 and words[1] == "as":
            pairs.append((words[0], words[2]))
    return pairs
