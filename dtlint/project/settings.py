"""Which classes and functions of the project do its settings files name, and under which keys?

`evaluator: {_target_: metrics.Evaluator}` in `conf/train.yaml`: what a program makes by such a name is found here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from dtlint.source.text import Incomplete, SourceFile, read

SUFFIXES = (".yaml", ".yml", ".json")
DOTTED = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+"
MENTION = re.compile(rf"(?<=[\s\"']){DOTTED}(?=[\"'\s,}}]|$)")
LINE = re.compile(
    rf"(?P<indent>[ ]*(?:- +)*)(?P<key>[\w.-]+)[ ]*:(?:[ ]+[\"']?(?P<named>{DOTTED})[\"']?)?[ ]*(?:#.*)?$"
)
FULL_NAME = re.compile(DOTTED)


@dataclass(frozen=True, slots=True, order=True)
class Named:
    """What is named, and the way to it."""

    folder: str
    file: str
    keys: tuple[str, ...]
    module: str
    name: str


def named(files: Iterable[SourceFile], is_module: Callable[[str], bool]) -> tuple[Named, ...]:
    """Everything that these settings name in modules of the project."""
    found = set()
    for file in files:
        path = PurePosixPath(file.path)
        if path.suffix.lower() not in SUFFIXES:
            continue
        source = read(file)
        if isinstance(source, Incomplete) or MENTION.search(source.text) is None:
            continue
        pairs = _of_json(source.text) if path.suffix.lower() == ".json" else _of_yaml(source.text)
        for keys, dotted in pairs:
            module, _, name = dotted.rpartition(".")
            if is_module(module):
                found.add(Named(path.parent.name, path.stem, keys, module, name))
    return tuple(sorted(found))


def _of_yaml(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """By indentation: a whole parser takes a hundred times as long, and templates are no YAML."""
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        match = LINE.match(line)
        if match is None:
            continue
        indent = len(match["indent"])
        while above and above[-1][0] >= indent:
            above.pop()
        above.append((indent, match["key"]))
        if match["named"]:
            yield tuple(key for _, key in above), match["named"]


def _of_json(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return
    todo: list[tuple[tuple[str, ...], Any]] = [((), content)]
    while todo:
        keys, held = todo.pop()
        if isinstance(held, dict):
            todo += [((*keys, key), inner) for key, inner in held.items()]
        elif isinstance(held, list):
            todo += [(keys, inner) for inner in held]
        elif isinstance(held, str) and FULL_NAME.fullmatch(held):
            yield keys, held
