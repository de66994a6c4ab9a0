"""Has exactly this check been made before, and what came out?

A result is filed under a hash of everything it depends on: dtlint itself, the rules and packs, the configuration, and
the content of every file. A file whose size and time have not changed is not read again. JSON only, written
atomically; whatever is damaged counts as absent.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from enum import Enum
from pathlib import Path
from typing import Any

from dtlint import __version__, rules_folder
from dtlint.config import Config
from dtlint.findings import Cell, Finding, Span, Step, Timeline, TimelineRow, Verdict
from dtlint.report.model import Report
from dtlint.source.text import Incomplete, SourceFile, read_bytes

KEPT_RESULTS = 32
KEPT_UNITS = 8
SETTLED = 2_000_000_000  # nanoseconds after which a file system's clock tells two writes apart
IRRELEVANT = ("fail_on", "allow_incomplete", "baseline", "jobs", "cache_dir", "cache", "root")


class Store:
    """The cache directory of one project. Every method is allowed to fail quietly: a cache is a convenience."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._known: dict[str, Any] = self._read(directory / "files.json")
        self._seen: dict[str, Any] = {}

    def content_hashes(self, files: Iterable[SourceFile]) -> list[str]:
        """The hash of each file's content, taken from the last time while size and time are the same."""
        result = []
        for file in files:
            if file.data is not None:
                result.append(hashlib.sha256(file.data).hexdigest())
                continue
            full = str(file.location)
            try:
                status = os.stat(full)
                stamp = [status.st_size, status.st_mtime_ns, status.st_ino]
                known = self._known.get(full)
                if isinstance(known, list) and len(known) == 2 and known[0] == stamp:
                    digest = str(known[1])
                else:
                    digest = _digest(file, status.st_size)
                if status.st_mtime_ns < time.time_ns() - SETTLED:
                    self._seen[full] = [stamp, digest]
            except (OSError, ValueError) as problem:
                digest = f"unreadable: {type(problem).__name__}"
            result.append(digest)
        return result

    def load(self, key: str) -> Report | None:
        try:
            return decode(self._read(self.directory / "results" / f"{key}.json"))
        except (KeyError, TypeError, ValueError, AttributeError):
            return None

    def save(self, key: str, report: Report) -> None:
        self._write(self.directory / "results" / f"{key}.json", encode(report))
        self._trim("results", KEPT_RESULTS)

    def remember_files(self) -> None:
        """Keep what was learnt about files that are gone from this check but still there: other checks use them."""
        if all(self._known.get(path) == entry for path, entry in self._seen.items()):
            return
        merged = {**self._known, **self._seen}
        if len(merged) > 2 * len(self._seen) + 1000:
            merged = self._seen
        self._write(self.directory / "files.json", merged)

    def read_table(self, name: str) -> dict[str, Any]:
        return self._read(self.directory / name)

    def write_table(self, name: str, table: Mapping[str, Any]) -> None:
        self._write(self.directory / name, table)
        self._trim(Path(name).parts[0], KEPT_UNITS)

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            value = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    def _write(self, path: Path, value: Any) -> None:
        try:
            self._prepare()
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as stream:
                    # all at once: the encoder that writes piece by piece is many times slower
                    stream.write(json.dumps(value, separators=(",", ":"), default=_enum))
                os.replace(name, path)
            except BaseException:
                os.unlink(name)
                raise
        except (OSError, ValueError):
            return

    def _prepare(self) -> None:
        """Make the directory one that git and backup programs leave alone."""
        if self.directory.is_symlink():
            raise OSError("a cache behind a symbolic link is not ours")
        self.directory.mkdir(parents=True, exist_ok=True)
        for name, text in (
            (".gitignore", "# made by dtlint\n*\n"),
            ("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# made by dtlint\n"),
        ):
            if not (self.directory / name).exists():
                (self.directory / name).write_text(text, encoding="utf-8")

    def _trim(self, folder: str, kept: int) -> None:
        try:
            results = sorted((self.directory / folder).glob("*.json"), key=lambda item: item.stat().st_mtime_ns)
            for path in results[:-kept]:
                path.unlink(missing_ok=True)
        except OSError:
            return


def _digest(file: SourceFile, size: int) -> str:
    """What cannot be read, or is too large to be, is told apart by what reading it says."""
    data = read_bytes(file)
    return f"{size}: {data.reason}" if isinstance(data, Incomplete) else hashlib.sha256(data).hexdigest()


def directory_for(config: Config, environment: Mapping[str, str] | None = None) -> Path:
    """DTLINT_CACHE_DIR, else the configured directory, else `.dtlint_cache` where the project begins."""
    variables = os.environ if environment is None else environment
    if variables.get("DTLINT_CACHE_DIR"):
        return Path(variables["DTLINT_CACHE_DIR"]).absolute()
    return config.root / (config.cache_dir or ".dtlint_cache")


def key(paths: Sequence[str], hashes: Sequence[str], config: Config, extra: Sequence[Path], more: Sequence[str]) -> str:
    """The name of the result: a hash of all that it depends on. `more` is whatever else the outcome contains."""
    relevant = {item.name: getattr(config, item.name) for item in fields(config) if item.name not in IRRELEVANT}
    parts = [
        identity(extra),
        json.dumps(relevant, sort_keys=True, default=str),
        os.path.relpath(config.root),
        *more,
        *(f"{path}\0{digest}" for path, digest in zip(paths, hashes)),
    ]
    return hashlib.sha256("\1".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:40]


def identity(extra: Sequence[Path] = ()) -> str:
    """Which dtlint this is: version, Python, and the size and time of each of its files, rules and packs."""
    stamps: list[str] = []
    for base in {Path(__file__).resolve().parent, rules_folder(), *extra}:
        for folder, names, files in os.walk(base):
            names[:] = sorted(name for name in names if name != "__pycache__")
            for name in sorted(files):
                if name.endswith((".py", ".toml")):
                    status = os.stat(os.path.join(folder, name))
                    stamps.append(f"{folder}/{name}:{status.st_size}:{status.st_mtime_ns}")
    parser = importlib.util.find_spec("libcst")
    origin = parser.origin if parser and parser.origin else ""
    if origin:
        stamps.append(f"{origin}:{os.stat(os.path.dirname(origin)).st_mtime_ns}")
    python = ".".join(map(str, sys.version_info[:2]))
    return "\0".join([__version__, python, *sorted(stamps)])


def _enum(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{type(value).__name__} does not belong into the cache")


def encode(report: Report) -> dict[str, Any]:
    return asdict(report)


def decode(table: Mapping[str, Any]) -> Report:
    """The inverse of `encode`; raises on anything that `encode` does not make."""
    return Report(
        tuple(finding_from(item) for item in table["findings"]),
        tuple(finding_from(item) for item in table["suppressed"]),
        int(table["files"]),
        int(table["analysed"]),
        tuple(Incomplete(**item) for item in table["incomplete"]),
        tuple(str(item) for item in table["notices"]),
    )


def finding_from(table: Mapping[str, Any]) -> Finding:
    values = dict(table)
    timeline, verdict, cell = (values[name] for name in ("timeline", "verdict", "cell"))
    values.update(
        span=Span(**values["span"]),
        lanes=tuple(values["lanes"]),
        trail=tuple(Step(**_celled(step)) for step in values["trail"]),
        timeline=timeline and _timeline(timeline),
        verdict=verdict and Verdict(**verdict),
        cell=cell and tuple(cell),
        related=tuple(values["related"]),
    )
    return Finding(**values)


def _celled(table: Mapping[str, Any]) -> dict[str, Any]:
    return {**table, "cell": table["cell"] and tuple(table["cell"])}


def _timeline(table: Mapping[str, Any]) -> Timeline:
    rows = tuple(
        TimelineRow(**{**_celled(row), "cells": tuple(Cell(cell) for cell in row["cells"])}) for row in table["rows"]
    )
    return Timeline(tuple(table["lanes"]), rows, table["outcome"])
