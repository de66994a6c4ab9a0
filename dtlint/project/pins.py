"""Which versions of a library does the project itself let in?

What a library does changes from version to version. A project that keeps to an old one is judged by what that one did.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath

from dtlint.source.text import Incomplete, SourceFile, read

SUFFIXES = (".txt", ".in", ".toml", ".cfg")
STATING = re.compile(
    r"(?:.*requirements?[\w.-]*\.(?:txt|in)|pyproject\.toml|setup\.(?:cfg|py)"
    r"|(?:.*[._-])?(?:environment|env|conda)[\w.-]*\.ya?ml)",
    re.IGNORECASE,
)
BESIDE = "requirements"  # a folder of such files speaks for the one it lies in
CALLED_OTHERWISE = {"pytorch": "torch"}  # by conda
BOUND = r"(?:[<>=!~^]{1,3}\s*[\"']?\s*[<>=~^]{0,2}\s*v?\d+(?:\.\d+)*(?:\.\*)?(?![\w.]*[a-z])(?:\+\w+)?)"
MENTION = re.compile(
    rf"(?<![\w./-])(?P<name>[A-Za-z][\w-]*)(?:\[[\w, -]*\])?[\"']?[ \t]*(?P<bounds>{BOUND}(?:[ \t]*,[ \t]*{BOUND})*)"
)
ONE_BOUND = re.compile(r"(?P<sign>[<>=!~^]{1,3})[\s\"']*(?P<inner>[<>=~^]{0,2})\s*v?(?P<number>\d+(?:\.\d+)*)")

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True, order=True)
class Pin:
    """What one line says: `library` stays below `below`, or is not kept from the newest (None)."""

    folder: str
    library: str
    below: Version | None


@dataclass(frozen=True, slots=True)
class Pins:
    """What is said of versions, each time for the folder it is said in."""

    said: tuple[Pin, ...] = ()

    def before(self, path: str, since: str) -> bool:
        """Does the project keep a library below this version ("torch 2.2"), wherever it speaks of it?"""
        library, _, number = since.partition(" ")
        version = numbers(number)
        for folder in (parent.as_posix() for parent in PurePosixPath(path).parents):
            here = [pin.below for pin in self.said if (pin.folder, pin.library) == (folder, library)]
            if here:
                return all(below is not None and below <= version for below in here)
        return False


NO_PINS = Pins()


def states(path: PurePath) -> bool:
    """Does it look like a file that lists requirements?"""
    listed = path.parent.name == BESIDE and path.suffix in (".txt", ".in")
    return listed or STATING.fullmatch(path.name) is not None


def stated(files: Iterable[SourceFile]) -> Pins:
    """What the files that list a project's requirements say."""
    found: set[Pin] = set()
    for file in files:
        path = PurePosixPath(file.path)
        if not states(path):
            continue
        source = read(file)
        if not isinstance(source, Incomplete):
            folder = path.parent.parent if path.parent.name == BESIDE else path.parent
            found.update(Pin(folder.as_posix(), name, below) for name, below in mentions(source.text))
    return Pins(tuple(sorted(found, key=str)))


def mentions(text: str) -> Iterator[tuple[str, Version | None]]:
    """Every library with the first version that is kept out; `python = "^3.10"` is one, too, that nobody asks for."""
    for line in text.splitlines():
        for match in MENTION.finditer(line.partition("#")[0].partition(";")[0]):
            name = match["name"].lower().replace("_", "-")
            bounds = [below for one in ONE_BOUND.finditer(match["bounds"]) if (below := kept_out(one)) is not None]
            yield CALLED_OTHERWISE.get(name, name), min(bounds, default=None)


def kept_out(bound: re.Match[str]) -> Version | None:
    """`==1.13` lets in 1.13.1 and not 1.14, `~=1.13.0` the same, `^1.13` all but 2, `<2` all but 2."""
    sign, number = bound["inner"] or bound["sign"], numbers(bound["number"])
    if sign == "<":
        return number
    if sign in ("=", "==", "===", "<="):
        return raised(number)
    if sign == "~=":
        return raised(number[:-1] or number)
    if sign == "~":
        return raised(number[:2])
    return raised(number[:1]) if sign == "^" else None


def numbers(text: str) -> Version:
    return tuple(int(part) for part in text.split("."))


def raised(number: Version) -> Version:
    return (*number[:-1], number[-1] + 1)
