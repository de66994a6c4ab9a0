"""Made-up data in place of files that are not here: numbers for arrays, words for text, rows that have every column.

A notice says so. Only the standard library, and numpy where it is installed.
"""

from __future__ import annotations

import builtins
import contextlib
import csv
import io
import json
import os
import random
import re
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from dtlint.trace.frames import is_user_file

TOKENS = 8192
ROWS = 101  # no number of hosts divides it
TEXT_FILES = (".txt", ".bin", ".npy", ".tsv", ".csv")
COLUMNS = {".tsv": "\t", ".csv": ","}
TABLES = (".jsonl", ".ndjson")  # a row in each line
WORDS = ("gradient", "rank", "barrier", "batch", "mesh", "host", "step", "a", "of", "waits", "meets", "for", "the")
NUMBERS = ("label", "labels", "id", "idx", "index", "target", "class", "score", "length", "width", "height")
PICTURES = re.compile(r"(^|_)(image|img|picture|photo|jpg|png)($|_)", re.I)  # columns
SIDE = 64
MADE_UP = "made up by dtlint"  # the one name in an object of made-up JSON

Tell = Callable[[str], None]


class Word(str):
    """A made-up text, which is a number where somebody needs one."""

    def __int__(self) -> int:
        return len(self) % 2

    def __float__(self) -> float:
        return len(self) / 100


def _picture(chance: random.Random) -> Any:
    """A small one of some colour, where somebody can read pictures."""
    with contextlib.suppress(ImportError):
        from PIL import Image  # type: ignore[import-not-found]

        if hasattr(Image, "Image"):  # no stand-in
            return Image.new("RGB", (SIDE, SIDE), tuple(chance.randrange(256) for _ in range(3)))
    return None


class Row(dict[str, Any]):
    """A made-up row has every column; some are long and some are short."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def __missing__(self, column: str) -> Any:
        chance = random.Random(f"{self.number} {column}")
        if column in NUMBERS:
            return chance.randrange(2)
        if PICTURES.search(column) and (picture := _picture(chance)) is not None:
            return picture
        return Word(" ".join(chance.choice(WORDS) for _ in range(chance.randrange(2, 20))))

    def get(self, column: str, otherwise: Any = None) -> Any:
        return self[column]

    def __contains__(self, column: object) -> bool:
        return True


class Table(list[Row]):
    """A made-up document: a list of rows, and lists of them under any name (`json.load(file)["images"]`)."""

    def __getitem__(self, where: Any) -> Any:
        return self if isinstance(where, str) else super().__getitem__(where)


class Text(io.StringIO):
    """A made-up file."""


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
    _rows_of_text()


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
        name = str(os.fspath(file)) if isinstance(file, (str, os.PathLike)) else ""
        text = made_up_text(name)
        if text and mode in ("r", "rt", "rb") and not os.path.exists(name) and by_the_user(sys._getframe(1)):
            tell(name)
            return io.BytesIO(text.encode()) if mode == "rb" else Text(text)
        return real(file, mode, *args, **keywords)

    builtins.open = io.open = fake_open


def by_the_user(frame: FrameType | None) -> bool:
    """Also by a way of pathlib. What libraries look for, and do without, is no data."""
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "pathlib":
        frame = frame.f_back
    return frame is not None and is_user_file(frame.f_code.co_filename)


def made_up_text(name: str) -> str:
    if name.endswith(TEXT_FILES):
        columns = COLUMNS.get(os.path.splitext(name)[1], " ")
        return (columns.join(("the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog")) + "\n") * 200
    if name.endswith(TABLES):
        return "".join(f"{json.dumps({MADE_UP: number})}\n" for number in range(ROWS))
    return json.dumps({MADE_UP: None}) if name.endswith(".json") else ""


def _rows_of_text() -> None:
    """What is read from a made-up file are rows with every column."""
    loads, reader = json.loads, csv.DictReader

    def fake_loads(text: Any, *args: Any, **keywords: Any) -> Any:
        if MADE_UP not in (text if isinstance(text, str) else ""):
            return loads(text, *args, **keywords)
        number = loads(text)[MADE_UP]
        return Row(number) if number is not None else Table(map(Row, range(ROWS)))

    class Reader(reader):  # type: ignore[misc, valid-type]
        def __init__(self, file: Any, *args: Any, **keywords: Any) -> None:
            super().__init__(file, *args, **keywords)
            self.made_up = isinstance(file, Text)

        def __iter__(self) -> Iterator[Any]:
            return map(Row, range(ROWS)) if self.made_up else super().__iter__()

    vars(json)["loads"], vars(csv)["DictReader"] = fake_loads, Reader
