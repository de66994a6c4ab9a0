"""Made-up data in place of files that are not here: numbers for arrays, words for text. A notice says so.

Only the standard library, and numpy where it is installed.
"""

from __future__ import annotations

import builtins
import contextlib
import os
from collections.abc import Callable
from typing import Any

TOKENS = 8192
TEXT_FILES = (".txt", ".bin", ".npy", ".tsv", ".csv", ".jsonl")

Tell = Callable[[str], None]


def teller(tell: Callable[[dict[str, Any]], None]) -> Tell:
    """Says once what is made up."""
    told: set[str] = set()

    def say(what: str) -> None:
        if what not in told:
            told.add(what)
            tell({"type": "notice", "text": f"synthetic data in place of {what}"})

    return say


def install(tell: Callable[[dict[str, Any]], None]) -> None:
    say = teller(tell)
    with contextlib.suppress(ImportError):
        _numpy_files(say)
    _text_files(say)


def _numpy_files(tell: Tell) -> None:
    import numpy

    memmap, load, fromfile = numpy.memmap, numpy.load, numpy.fromfile

    def tokens(dtype: Any) -> Any:
        generator = numpy.random.default_rng(0)
        kind = numpy.dtype(dtype)
        if kind.kind == "f":
            return generator.random(TOKENS).astype(kind)
        return generator.integers(0, 50, TOKENS).astype(kind)

    def missing(name: Any) -> bool:
        return isinstance(name, (str, os.PathLike)) and not os.path.exists(name)

    def fake_memmap(filename: Any, dtype: Any = numpy.uint8, mode: str = "r+", *args: Any, **keywords: Any) -> Any:
        if missing(filename) and mode in ("r", "r+", "c"):
            tell(str(filename))
            return tokens(dtype)
        return memmap(filename, dtype, mode, *args, **keywords)

    def fake_load(file: Any, *args: Any, **keywords: Any) -> Any:
        if missing(file):
            tell(str(file))
            return tokens(numpy.int64)
        return load(file, *args, **keywords)

    def fake_fromfile(file: Any, dtype: Any = float, *args: Any, **keywords: Any) -> Any:
        if missing(file):
            tell(str(file))
            return tokens(dtype)
        return fromfile(file, dtype, *args, **keywords)

    numpy.memmap, numpy.load, numpy.fromfile = fake_memmap, fake_load, fake_fromfile


def _text_files(tell: Tell) -> None:
    real = builtins.open

    def fake_open(file: Any, mode: str = "r", *args: Any, **keywords: Any) -> Any:
        name = os.fspath(file) if isinstance(file, (str, os.PathLike)) else ""
        data = str(name).endswith(TEXT_FILES)
        if data and mode in ("r", "rt") and not os.path.exists(name):
            import io

            tell(str(name))
            return io.StringIO("the quick brown fox jumps over the lazy dog\n" * 200)
        return real(file, mode, *args, **keywords)

    builtins.open = fake_open
