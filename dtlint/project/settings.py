"""What do the settings files of a project say, and which of its classes and functions do they name?

`evaluator: {_target_: metrics.Evaluator}` in `conf/train.yaml`, `system_type: "sampler"`: what a program makes by such
a name is found here, by the keys it asks with.
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
WORD = r"[A-Za-z_][\w./+-]*"
MENTION = re.compile(rf"(?<=[\s\"']){DOTTED}(?=[\"'\s,}}]|$)")
LINE = re.compile(rf"(?P<indent>[ ]*(?:- +)*)(?P<key>[\w.-]+)[ ]*:(?:[ ]+[\"']?(?P<said>{WORD})[\"']?)?[ ]*(?:#.*)?$")
FULL_NAME, FULL_WORD = re.compile(DOTTED), re.compile(WORD)
MOST = 1000  # words of one file: a file with more of them is data
LONGEST = 200_000  # characters of a file whose words are looked at

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Said:
    """A word, and the way to it."""

    folder: str
    file: str
    keys: Keys
    word: str


@dataclass(frozen=True, slots=True, order=True)
class Named:
    """What of the project is named, and the way to it."""

    folder: str
    file: str
    keys: Keys
    module: str
    name: str


def said(files: Iterable[SourceFile]) -> tuple[Said, ...]:
    """Every word that stands alone under a key."""
    found: set[Said] = set()
    for file in files:
        path = PurePosixPath(file.path)
        if path.suffix.lower() not in SUFFIXES:
            continue
        source = read(file)
        if isinstance(source, Incomplete) or (len(source.text) > LONGEST and MENTION.search(source.text) is None):
            continue
        pairs = list(_of_json(source.text) if path.suffix.lower() == ".json" else _of_yaml(source.text))
        if len(pairs) > MOST:
            pairs = [(keys, word) for keys, word in pairs if FULL_NAME.fullmatch(word)]
        found.update(Said(path.parent.name, path.stem, keys, word) for keys, word in pairs)
    return tuple(sorted(found))


def named(words: Iterable[Said], is_module: Callable[[str], bool]) -> tuple[Named, ...]:
    """Those of the words that name something in modules of the project."""
    parts = ((one, *one.word.rpartition(".")) for one in words if FULL_NAME.fullmatch(one.word))
    return tuple(Named(one.folder, one.file, one.keys, home, name) for one, home, _, name in parts if is_module(home))


def _of_yaml(text: str) -> Iterator[tuple[Keys, str]]:
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
        if match["said"]:
            yield tuple(key for _, key in above), match["said"]


def _of_json(text: str) -> Iterator[tuple[Keys, str]]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return
    todo: list[tuple[Keys, Any]] = [((), content)]
    while todo:
        keys, held = todo.pop()
        if isinstance(held, dict):
            todo += [((*keys, key), inner) for key, inner in held.items()]
        elif isinstance(held, list):
            todo += [(keys, inner) for inner in held]
        elif keys and isinstance(held, str) and FULL_WORD.fullmatch(held):
            yield keys, held
