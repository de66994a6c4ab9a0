"""Which further files must be read to understand the ones that were named?

`dtlint check train.py` is about train.py, but whether a call in it communicates may be written in helper.py. Files that
are named bring along what they import, found as Python would find it from their directory and from those above it up
to the project's root. Directories stand for themselves.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from dtlint.project.imports import ImportLine, scan_imports
from dtlint.source.files import shown_path
from dtlint.source.text import Incomplete, SourceFile, read_bytes

LIMIT = 1000
SOURCE_FOLDERS = ("", "src")


def companions(named: Sequence[SourceFile], known: Iterable[SourceFile], root: Path) -> list[SourceFile]:
    """Files on disk that the named ones import, directly or not, and that are not known already."""
    base = Path.cwd()
    seen = {os.path.realpath(file.location) for file in known}
    waiting = deque(named)
    found: list[SourceFile] = []
    while waiting and len(found) < LIMIT:
        file = waiting.popleft()
        data = read_bytes(file)
        if isinstance(data, Incomplete) or file.is_notebook:
            continue
        for line in scan_imports(data):
            for path in _files_of(line, file.location.parent, root):
                if (real := os.path.realpath(path)) not in seen:
                    seen.add(real)
                    companion = SourceFile(shown_path(path, base), path)
                    found.append(companion)
                    waiting.append(companion)
    return sorted(found, key=lambda file: file.path)


def _files_of(line: ImportLine, directory: Path, root: Path) -> Iterator[Path]:
    """The modules that one import statement reads, with the packages around them."""
    parts = [part for part in line.module.split(".") if part]
    for start in _starts(line.level, directory, root):
        place = start
        if parts and not _is_module(start / parts[0]) and not (start / parts[0]).is_dir():
            continue
        for part in parts:
            place /= part
            yield from _module(place)
        for name in line.names:
            yield from _module(place / name)
        return


def _starts(level: int, directory: Path, root: Path) -> Iterator[Path]:
    if level:
        yield directory.parents[level - 2] if 1 < level <= len(directory.parents) + 1 else directory
        return
    for above in (directory, *directory.parents):
        for folder in SOURCE_FOLDERS:
            yield above / folder
        if above == root or (above / ".git").exists():
            return


def _is_module(place: Path) -> bool:
    return place.with_name(place.name + ".py").is_file()


def _module(place: Path) -> Iterator[Path]:
    if place.name == "*":
        return
    for path in (place.with_name(place.name + ".py"), place / "__init__.py"):
        if path.is_file():
            yield path
            return
