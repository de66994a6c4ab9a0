"""Where does lie what need not be made again? In files named by the hash of what they were made from.

Every method may fail quietly: a cache is a convenience.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


class Shelf:
    """A folder of such files; without a directory it stays empty."""

    def __init__(self, directory: Path | None) -> None:
        self.directory = directory

    @property
    def active(self) -> bool:
        return self.directory is not None

    def read(self, key: str) -> bytes | None:
        path = self._path(key)
        if path is None:
            return None
        try:
            return path.read_bytes()
        except OSError:
            return None

    def write(self, key: str, data: bytes) -> None:
        path = self._path(key)
        if path is not None:
            write(path, data)

    def _path(self, key: str) -> Path | None:
        return None if self.directory is None else self.directory / key[:2] / key[2:]


def write(path: Path, data: bytes) -> None:
    """Whole, or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
            os.replace(name, path)
        except OSError:
            os.unlink(name)
    except OSError:
        pass


def digest_of(code: Iterable[Path]) -> str:
    """The text of the code that makes what is kept: while it is worked on, the version stands still."""
    digest = hashlib.sha256()
    for file in sorted(code):
        try:
            digest.update(file.read_bytes())
        except OSError:
            digest.update(file.name.encode())
    return digest.hexdigest()
