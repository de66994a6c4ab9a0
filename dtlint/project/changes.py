"""What of a file has changed since the last time? Not every edit is everybody's business.

Who only imports a module uses what its body binds: its *outline*, all of it but the bodies of functions. Who runs one
of its functions uses that body too. And a new function whose name nobody else writes is used by nobody.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dtlint.ir import nodes as ir

WORD = "<word> "  # stands among paths, with a word behind it, for which files mention the word
ASKED = "<asked> "  # the same, with the name of a question behind it that is asked of all files
IMPORTS = "<imports>"  # stands among paths for what the files import from each other
MOST_NAMES = 12  # new or changed definitions whose names are looked for in the other files; more count as a new outline


@dataclass(frozen=True, slots=True)
class Sketch:
    """A file by its parts, each as a hash."""

    text: str
    outline: str
    definitions: Mapping[str, str]  # plain top-level functions: their headers
    bodies: Mapping[str, str]  # qualified names of functions and methods: header and body

    def plain(self) -> list[Any]:
        return [self.text, self.outline, dict(self.definitions), dict(self.bodies)]

    @classmethod
    def from_plain(cls, held: Any) -> Sketch:
        text, outline, definitions, bodies = held
        return cls(str(text), str(outline), dict(definitions), dict(bodies))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def sketch(text: str, module: ir.Module, functions: Iterable[ir.Function]) -> Sketch:
    """`functions` are those that can be told from outside: top-level ones and methods."""
    lines = text.split("\n")
    outside = [True] * len(lines)
    bodies: dict[str, str] = {}
    for function in functions:
        if function.at is None or not function.body:
            continue
        first, last = function.at[0], function.at[2]
        begin = min(place[0] for statement in function.body if (place := statement.at) is not None)
        held = digest("\n".join(lines[first - 1 : last]))
        bodies[function.qualname] = digest(bodies.get(function.qualname, "") + held)
        if begin > first:
            outside[begin - 1 : last] = [False] * (last - begin + 1)
    definitions: dict[str, str] = {}
    for statement in module.body:
        if isinstance(statement, ir.Function) and not statement.decorators and statement.at is not None:
            first, last = statement.at[0], statement.at[2]
            header = "\n".join(line for line, kept in zip(lines[first - 1 : last], outside[first - 1 :]) if kept)
            definitions[statement.name] = digest(definitions.get(statement.name, "") + header)
            outside[first - 1 : last] = [False] * (last - first + 1)
    rest = (line.rstrip() for line, kept in zip(lines, outside, strict=True) if kept)
    outline = "\n".join(line for line in rest if line and not line.lstrip().startswith("#"))
    return Sketch(digest(text), digest(outline), definitions, bodies)


@dataclass(frozen=True, slots=True)
class Change:
    """Of a file that is not what it was: does what it binds differ, and which functions do?"""

    outline: bool
    bodies: frozenset[str]


def compare(before: Sketch, now: Sketch, is_written_elsewhere: Callable[[str], bool]) -> Change:
    names = differing(before.definitions, now.definitions)
    outline = before.outline != now.outline or len(names) > MOST_NAMES or any(map(is_written_elsewhere, sorted(names)))
    return Change(outline, frozenset(differing(before.bodies, now.bodies)))


def differing(before: Mapping[str, str], now: Mapping[str, str]) -> set[str]:
    return {name for name in before.keys() | now.keys() if before.get(name) != now.get(name)}


def written_elsewhere(name: str, path: str, texts: Iterable[tuple[str, str]]) -> bool:
    """Does anything but the definition itself mention this name?"""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    for other, text in texts:
        if name not in text:
            continue
        found = len(word.findall(text))
        if found > (len(re.findall(rf"^def[ \t]+{re.escape(name)}(?!\w)", text, re.MULTILINE)) if other == path else 0):
            return True
    return False
