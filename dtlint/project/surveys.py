"""What do the bytes of a file say, before anything is parsed? What it imports, which API tokens stand in it, and around
which words it defines something.

All of this follows from the bytes and from what is looked for, so it is kept under a hash of both.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from pathlib import Path

from dtlint import __version__
from dtlint.project import imports
from dtlint.project.imports import ImportLine, scan_imports
from dtlint.project.shelf import Shelf, digest_of

CODE = (Path(__file__), Path(imports.__file__))  # what makes a survey
Words = frozenset[bytes]
NO_WORDS: Words = frozenset()

_DEFINITION = re.compile(
    rb"^(?P<indent>[ \t]*)(?:async[ \t]+)?(?P<kind>def|class)[ \t]+(?P<name>\w+)"
    rb"|^(?P<assigned>\w+)[ \t]*(?::[^=\n]*)?=(?!=)",
    re.MULTILINE,
)
_WORD = re.compile(rb"[^\W\d]\w*")
_HEADER = re.compile(rb"^class[ \t]+(\w+)[ \t]*\(([^)]*)\)", re.MULTILINE)
_USE = re.compile(rb"(?<!class )\b[^\W\d]\w*(?=[(.])")  # what is called, or has something taken from it
_IMPORT_LINE = re.compile(rb"^[ \t]*(?:from|import)[ \t][^\n(]*(?:\([^)]*\))?", re.MULTILINE)
_ALIAS = re.compile(rb"\bas[ \t]+(\w+)")


@dataclass(frozen=True, slots=True)
class Wanted:
    """These tokens are looked for in a file. In a definition, one that only names a package counts beside one of the
    leading words."""

    tokens: tuple[bytes, ...] = ()
    leading: Words = NO_WORDS


@dataclass(frozen=True, slots=True)
class Definition:
    """A top-level definition (`owner` empty), or a class's method or body (`owner` is the class)."""

    owner: bytes
    name: bytes
    words: Words
    used: Words
    direct: bool  # names an API itself: which words it uses does not matter then


@dataclass(frozen=True, slots=True)
class Survey:
    imports: tuple[ImportLine, ...]
    tokens: tuple[bytes, ...]  # those that occur
    definitions: tuple[Definition, ...] | None = None  # None until somebody asks


class Surveys:
    """The files of a project; what is not known from the last time is looked up now."""

    def __init__(self, contents: Mapping[str, bytes], wanted: Wanted, directory: Path | None) -> None:
        self.contents = contents
        self.wanted = wanted
        self._shelf = Shelf(directory and directory / "surveys")
        self._keys: dict[str, str] = {}
        self._found: dict[str, Survey] = {}
        self._new: set[str] = set()
        # during development the version stands still and the code does not
        basis = repr((__version__, digest_of(CODE), wanted.tokens, sorted(wanted.leading))).encode()
        for path, data in contents.items():
            key = self._keys[path] = hashlib.sha256(basis + data).hexdigest()
            stored = self._shelf.read(key)
            found = decode(stored) if stored is not None else None
            if found is None:
                found = Survey(scan_imports(data), tuple(token for token in wanted.tokens if token in data))
                self._new.add(path)
            self._found[path] = found

    @cached_property
    def imports(self) -> dict[str, tuple[ImportLine, ...]]:
        return {path: found.imports for path, found in self._found.items()}

    def tokens(self, path: str) -> tuple[bytes, ...]:
        return self._found[path].tokens

    def definitions(self, path: str) -> tuple[Definition, ...]:
        found = self._found[path]
        if found.definitions is None:
            defined = definitions_in(self.contents[path], found.tokens, self.wanted.leading)
            found = self._found[path] = replace(found, definitions=defined)
            self._new.add(path)
        return found.definitions or ()

    def save(self) -> None:
        for path in sorted(self._new):
            self._shelf.write(self._keys[path], encode(self._found[path]))
        self._new.clear()


def encode(survey: Survey) -> bytes:
    defined = survey.definitions
    plain = [
        [astuple(line) for line in survey.imports],
        [token.decode() for token in survey.tokens],
        None if defined is None else [_plain(one) for one in defined],
    ]
    return json.dumps(plain, separators=(",", ":")).encode("ascii")


def decode(data: bytes) -> Survey | None:
    """None when the bytes are damaged."""
    try:
        imported, tokens, defined = json.loads(data)
        return Survey(
            tuple(_import_line(*line) for line in imported),
            tuple(token.encode() for token in tokens),
            None if defined is None else tuple(_definition(*one) for one in defined),
        )
    except (ValueError, TypeError, AttributeError):
        return None


def _import_line(module: str, level: int, names: list[str], bound: list[str], for_types: bool) -> ImportLine:
    return ImportLine(str(module), int(level), tuple(map(str, names)), tuple(map(str, bound)), bool(for_types))


def _plain(one: Definition) -> tuple[str, str, str, str, bool]:
    return one.owner.decode(), one.name.decode(), _text(one.words), _text(one.used), one.direct


def _definition(owner: str, name: str, words: str, used: str, direct: bool) -> Definition:
    return Definition(owner.encode(), name.encode(), _words(words), _words(used), bool(direct))


def _text(words: Words) -> str:
    return b" ".join(sorted(words)).decode("ascii")


def _words(text: str) -> Words:
    return frozenset(text.encode("ascii").split())


def definitions_in(data: bytes, tokens: Sequence[bytes], leading: Words) -> tuple[Definition, ...]:
    """`tokens` are those that occur in `data`."""
    units: list[Definition] = []
    found = list(_DEFINITION.finditer(data))
    edges = [match.start() for match in found]
    edges.append(len(data))
    head = data[: edges[0]]
    imported = _bound_by_tokens(head, tokens)
    packages = [token for token in tokens if _is_package(token)]
    places = sorted(place for token in tokens if not _is_package(token) for place in _places(token, data))
    owner, owner_indent, method_indent = b"", -1, -1
    group: list[tuple[bytes, bytes, int, int]] = []
    for match, end in zip(found, edges[1:], strict=True):
        start = match.start()
        assigned = match.group("assigned")
        if assigned is not None:
            owner, owner_indent = b"", -1
            group.append((b"", assigned, start, end))
            continue
        indent = len(match.group("indent").expandtabs(8))
        name = match.group("name")
        if indent == 0:
            is_class = match.group("kind") == b"class"
            owner, owner_indent, method_indent = (name, 0, -1) if is_class else (b"", -1, -1)
            group.append((name if is_class else b"", b"" if is_class else name, start, end))
        elif owner_indent == 0 and (method_indent < 0 or indent <= method_indent):
            method_indent = indent
            group.append((owner, name, start, end))
        elif group:
            first = group.pop()
            group.append((first[0], first[1], first[2], end))
        else:
            group.append((b"", name, start, end))  # inside a top-level `if`
    for owner, name, start, end in group:
        block = data[start:end]
        nearest = bisect_left(places, start)
        if nearest < len(places) and places[nearest] < end:
            units.append(Definition(owner, name, NO_WORDS, NO_WORDS, True))
            continue
        words = frozenset(_WORD.findall(block))
        direct = not words.isdisjoint(leading) and (
            not words.isdisjoint(imported) or any(token in block for token in packages)
        )
        units.append(Definition(owner, name, words, NO_WORDS if direct else frozenset(_USE.findall(block)), direct))
    return tuple(units)


def bases_in(data: bytes) -> dict[bytes, Words]:
    return {name: frozenset(_WORD.findall(listed)) for name, listed in _HEADER.findall(data)}


def _is_package(token: bytes) -> bool:
    """A word that says which library is used, not what of it (`torch.distributed`, `import jax`, `deepspeed`)."""
    return token.islower() and b"_" not in token


def _places(token: bytes, data: bytes) -> Iterator[int]:
    """Where the token is used, and not a part of another word."""
    found = data.find(token)
    while found >= 0:
        before = data[found - 1 : found] if found else b""
        if not (before.isalnum() or before == b"_"):
            yield found
        found = data.find(token, found + len(token))


def _bound_by_tokens(head: bytes, tokens: Sequence[bytes]) -> set[bytes]:
    """Local names that the head's imports give to things named by a token: `import torch.distributed as dist`."""
    names: set[bytes] = set()
    for line in _IMPORT_LINE.findall(head):
        if not any(token in line for token in tokens):
            continue
        aliases = _ALIAS.findall(line)
        if b" import" in line:
            names.update(aliases or _WORD.findall(line.partition(b" import")[2]))
        else:
            names.update(aliases)
    return names - {b"as"}
