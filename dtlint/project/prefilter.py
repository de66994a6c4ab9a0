"""Which files are worth parsing? Those that name an API, and those that can reach one through what they import.

A file is kept when its bytes contain an API token. What it defines around the token (a wrapper, a method) is
*reaching*; so is what is defined around the name of something reaching, here or in a file that imports it. A file
that imports something reaching and mentions it is kept too. All of this is decided on bytes, before any parse, and
errs on the side of keeping.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from dtlint.project.imports import ImportLine
from dtlint.project.surveys import NO_WORDS, Definition, Surveys, Words, bases_in

Distances = dict[bytes, int]  # name -> calls between it and an API
PathOf = Callable[[str, str, int], "str | None"]  # importer, module, level -> file of the project

# Methods that run although no caller writes their name.
_SILENT = re.compile(rb"__\w+__$|forward$")


# A name that this many files mention is a framework's base class or logger, not a wrapper around a collective:
# following it would keep every file of a large project.
HUB_FILES = 60
# Calls between a definition and the API it leads to, at most, for the definition to count.
FARTHEST = 2


@dataclass(slots=True)
class _File:
    units: tuple[Definition, ...]
    functions: Distances = field(default_factory=dict)  # reaching, top-level
    methods: dict[bytes, Distances] = field(default_factory=dict)  # class -> its reaching methods, b"" its body
    bases: dict[bytes, Words] = field(default_factory=dict)  # class -> what it inherits from


def select(surveys: Surveys, path_of: PathOf) -> tuple[str, ...]:
    """Paths to analyse, sorted."""
    return _Selection(surveys, path_of).run()


class _Selection:
    def __init__(self, surveys: Surveys, path_of: PathOf) -> None:
        self.surveys = surveys
        self.contents = surveys.contents
        self.kept = {path for path in surveys.contents if surveys.tokens(path)}
        self.files: dict[str, _File] = {}
        # importer -> what it imports from which file: (path, name there or "" for the module, local name)
        self.edges: dict[str, list[tuple[str, str, str]]] = {}
        self.importers: dict[str, set[str]] = {}
        self.mentions: dict[tuple[str, bytes], set[str]] = {}
        self.inherited: dict[str, Words] = {}  # what the classes of an importer inherit from
        for importer, lines in surveys.imports.items():
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
            self.files[path] = _File(self.surveys.definitions(path), bases=bases_in(self.contents[path]))
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
        if importer not in self.inherited:
            self.inherited[importer] = NO_WORDS.union(*bases_in(data).values())
        inherited = self.inherited[importer]
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
                target = file.methods.get(unit.owner, {}) if unit.owner else file.functions
                if target.get(unit.name, FARTHEST) <= (not unit.direct):
                    continue  # nearer it cannot be
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


def _distance(unit: Definition, functions: Distances, classes: Mapping[bytes, Distances]) -> int:
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
    if unit.owner and b"cls" in unit.words:  # `cls()` in a class method
        nearest = min(classes.get(unit.owner, {}).get(b"__init__", nearest), nearest)
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
