"""Which files are worth parsing? Those that name an API, and those that can reach one through what they import.

A file is kept when its bytes contain an API token. What it defines around the token (a wrapper, a method) is
*reaching*; so is what is defined around the name of something reaching, here or in a file that imports it. A file
that imports something reaching and mentions it is kept too. All of this is decided on bytes, before any parse, and
errs on the side of keeping.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dtlint.project.imports import ImportLine

Words = frozenset[bytes]
NO_WORDS: Words = frozenset()
Distances = dict[bytes, int]  # name -> calls between it and an API
PathOf = Callable[[str, str, int], "str | None"]  # importer, module, level -> file of the project

_DEFINITION = re.compile(
    rb"^(?P<indent>[ \t]*)(?:async[ \t]+)?(?P<kind>def|class)[ \t]+(?P<name>\w+)"
    rb"|^(?P<assigned>\w+)[ \t]*(?::[^=\n]*)?=(?!=)",
    re.MULTILINE,
)
_WORD = re.compile(rb"[^\W\d]\w*")
_HEADER = re.compile(rb"^class[ \t]+(\w+)[ \t]*\(([^)]*)\)", re.MULTILINE)
_USE = re.compile(rb"(?<!class )\b[^\W\d]\w*(?=[(.])")  # what is called, or has something taken from it
# Methods that run although no caller writes their name.
_SILENT = re.compile(rb"__\w+__$|forward$")


# A name that this many files mention is a framework's base class or logger, not a wrapper around a collective:
# following it would keep every file of a large project.
HUB_FILES = 60
# Calls between a definition and the API it leads to, at most, for the definition to count.
FARTHEST = 2


@dataclass(frozen=True, slots=True)
class _Unit:
    """A top-level definition (`owner` empty), or a class's method or body (`owner` is the class)."""

    owner: bytes
    name: bytes
    words: Words
    used: Words
    direct: bool  # names an API itself: which words it uses does not matter then


@dataclass(slots=True)
class _File:
    units: tuple[_Unit, ...]
    functions: Distances = field(default_factory=dict)  # reaching, top-level
    methods: dict[bytes, Distances] = field(default_factory=dict)  # class -> its reaching methods, b"" its body
    bases: dict[bytes, Words] = field(default_factory=dict)  # class -> what it inherits from


def select(
    contents: Mapping[str, bytes],
    imports: Mapping[str, Sequence[ImportLine]],
    tokens: Iterable[bytes],
    path_of: PathOf,
    leading: Words = NO_WORDS,
) -> tuple[str, ...]:
    """Paths to analyse, sorted. `tokens` are what is looked for in a file; in a definition, a token that only names a
    package counts beside one of the `leading` words."""
    return _Selection(contents, imports, tuple(sorted(tokens)), path_of, leading).run()


class _Selection:
    def __init__(
        self,
        contents: Mapping[str, bytes],
        imports: Mapping[str, Sequence[ImportLine]],
        tokens: tuple[bytes, ...],
        path_of: PathOf,
        leading: Words,
    ) -> None:
        self.contents = contents
        self.leading = leading
        written = {path: [token for token in tokens if token in data] for path, data in contents.items()}
        self.direct = {path: found for path, found in written.items() if found}
        self.kept = set(self.direct)
        self.files: dict[str, _File] = {}
        # importer -> what it imports from which file: (path, name there or "" for the module, local name)
        self.edges: dict[str, list[tuple[str, str, str]]] = {}
        self.importers: dict[str, set[str]] = {}
        self.mentions: dict[tuple[str, bytes], set[str]] = {}
        for importer, lines in imports.items():
            edges = [edge for line in lines for edge in _edges(importer, line, path_of)]
            self.edges[importer] = edges
            for path, _, _ in edges:
                self.importers.setdefault(path, set()).add(importer)

    def run(self) -> tuple[str, ...]:
        pending = deque(sorted(self.kept))
        waiting = set(pending)
        while pending:
            path = pending.popleft()
            waiting.discard(path)
            if not self._spread(path):
                continue
            self._widen(path)
            for importer in sorted(self.importers.get(path, ())):
                if importer in self.kept and importer not in waiting:
                    waiting.add(importer)
                    pending.append(importer)
        return tuple(sorted(self.kept))

    def _widen(self, path: str) -> None:
        """Keep the importers of `path` that mention something reaching in it, unless everybody does."""
        mentioning: dict[bytes, list[str]] = {}
        for importer in sorted(self.importers.get(path, ())):
            if importer not in self.kept:
                for name in self._mentioned(importer, path):
                    mentioning.setdefault(name, []).append(importer)
        for name, files in mentioning.items():
            seen = self.mentions.setdefault((path, name), set())
            seen.update(files)
            if len(seen) <= HUB_FILES:
                self.kept.update(files)

    def _file(self, path: str) -> _File:
        if path not in self.files:
            self.files[path] = _split(self.contents[path], self.direct.get(path, ()), self.leading)
        return self.files[path]

    def _imported(self, path: str) -> tuple[Distances, dict[bytes, Distances]]:
        """Reaching functions and classes (with their reaching methods) under the names they have in this file."""
        functions: Distances = {}
        methods: dict[bytes, Distances] = {}
        for target, name, local in self.edges.get(path, ()):
            file = self.files.get(target)
            if file is None or target == path:
                continue
            if name in ("", "*"):
                _merge(functions, file.functions)
                for owner, names in file.methods.items():
                    _merge(methods.setdefault(owner, {}), names)
                continue
            written = name.encode()
            if written in file.functions:
                _merge(functions, {local.encode(): file.functions[written]})
            if written in file.methods:
                _merge(methods.setdefault(local.encode(), {}), file.methods[written])
        return functions, methods

    def _mentioned(self, importer: str, path: str) -> set[bytes]:
        """Names of `path` through which this importer, not kept so far, can reach an API."""
        file, data = self.files[path], self.contents[importer]
        inherited = NO_WORDS.union(*_bases(data).values())
        found: set[bytes] = set()
        for target, name, local in self.edges[importer]:
            if target != path:
                continue
            if name in ("", "*"):
                found.update(function for function in file.functions if function in data)
                owners = {owner: owner for owner in file.methods if owner in data}
            else:
                written = name.encode()
                if written in file.functions:
                    found.add(written)
                owners = {written: local.encode()} if written in file.methods else {}
            for owner, known in owners.items():
                if known + b"(" in data or known + b"." in data:
                    if _used(file.methods[owner], data):
                        found.add(owner)
                elif known in inherited and any(b"." + method in data for method in file.methods[owner] if method):
                    found.add(owner)
        return found

    def _spread(self, path: str) -> bool:
        """Find what is reaching in this file by now; True when something is new or nearer."""
        file = self._file(path)
        functions, methods = self._imported(path)
        changed = self._reexport(path, file)
        while True:
            hot = dict(functions)
            _merge(hot, file.functions)
            classes = {owner: dict(names) for owner, names in methods.items()}
            for owner, names in file.methods.items():
                _merge(classes.setdefault(owner, {}), names)
            again = self._inherit(file, classes)
            for unit in file.units:
                distance = 0 if unit.direct else 1 + _distance(unit, hot, classes)
                if distance <= FARTHEST:
                    target = file.methods.setdefault(unit.owner, {}) if unit.owner else file.functions
                    again |= _merge(target, {unit.name: distance})
            changed |= again
            if not again:
                return changed

    def _inherit(self, file: _File, classes: dict[bytes, Distances]) -> bool:
        """A class has the reaching methods of its bases: what uses one of them through it reaches as far."""
        changed = False
        for owner, bases in file.bases.items():
            for base in bases & classes.keys() - {owner}:
                handed_on = {name: distance for name, distance in classes[base].items() if name}
                if handed_on:
                    _merge(classes.setdefault(owner, {}), handed_on)
                    changed |= _merge(file.methods.setdefault(owner, {}), handed_on)
        return changed

    def _reexport(self, path: str, file: _File) -> bool:
        """What a package's `__init__` imports is found in the package, as near as where it comes from."""
        changed = False
        for target, name, local in self.edges.get(path, ()):
            source = self.files.get(target)
            if source is None or name == "":
                continue
            if name == "*":
                changed |= _merge(file.functions, source.functions)
                for owner, names in source.methods.items():
                    changed |= _merge(file.methods.setdefault(owner, {}), names)
                continue
            written, known = name.encode(), local.encode()
            if written in source.functions:
                changed |= _merge(file.functions, {known: source.functions[written]})
            if written in source.methods:
                changed |= _merge(file.methods.setdefault(known, {}), source.methods[written])
        return changed


def _merge(into: Distances, more: Mapping[bytes, int]) -> bool:
    changed = False
    for name, distance in more.items():
        if distance < into.get(name, FARTHEST + 1):
            into[name] = distance
            changed = True
    return changed


def _distance(unit: _Unit, functions: Distances, classes: Mapping[bytes, Distances]) -> int:
    """How far the nearest thing is that this definition uses: a function, a class's method, a method of its own."""
    nearest = min([functions[word] for word in unit.words & functions.keys()], default=FARTHEST + 1)
    for owner in unit.used & classes.keys():
        for name, distance in classes[owner].items():
            if distance < nearest and (name == b"" or name in unit.words or _SILENT.match(name)):
                if owner != unit.owner or name != unit.name:
                    nearest = distance
    if unit.owner and b"self" in unit.words:
        own = classes.get(unit.owner, {})
        nearest = min([own[word] for word in unit.words & own.keys() if word != unit.name] + [nearest])
    return nearest


def _used(methods: Distances, data: bytes) -> bool:
    return any(name == b"" or b"." + name in data or _SILENT.match(name) for name in methods)


def _edges(importer: str, line: ImportLine, path_of: PathOf) -> Iterable[tuple[str, str, str]]:
    """(file, name in it or "" for all of it, local name) of everything an import line reads."""
    module = path_of(importer, line.module, line.level)
    if not line.names:
        if module is not None and module != importer:
            yield module, "", line.bound[0]
        return
    for name, local in zip(line.names, line.bound, strict=True):
        if name != "*":
            submodule = path_of(importer, f"{line.module}.{name}" if line.module else name, line.level)
            if submodule is not None and submodule != importer and submodule != module:
                yield submodule, "", local
                continue
        if module is not None and module != importer:
            yield module, name, local


def _split(data: bytes, tokens: Sequence[bytes], leading: Words) -> _File:
    """`tokens` are those that occur in `data`."""
    units: list[_Unit] = []
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
            units.append(_Unit(owner, name, NO_WORDS, NO_WORDS, True))
            continue
        words = frozenset(_WORD.findall(block))
        direct = not words.isdisjoint(leading) and (
            not words.isdisjoint(imported) or any(token in block for token in packages)
        )
        units.append(_Unit(owner, name, words, NO_WORDS if direct else frozenset(_USE.findall(block)), direct))
    return _File(tuple(units), bases=_bases(data))


def _bases(data: bytes) -> dict[bytes, Words]:
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


_IMPORT_LINE = re.compile(rb"^[ \t]*(?:from|import)[ \t][^\n(]*(?:\([^)]*\))?", re.MULTILINE)
_ALIAS = re.compile(rb"\bas[ \t]+(\w+)")


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
