"""What is known of libraries: rows found by canonical dotted name, and what all rows together say of a name."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from dtlint.knowledge.rows import Api, Type
from dtlint.knowledge.telling import Telling


@dataclass(frozen=True, slots=True)
class Knowledge:
    # rows by name
    apis: Mapping[str, Api]
    attributes: Mapping[str, Api]
    types: Mapping[str, Type]
    aliases: Mapping[str, str]
    parameters: Mapping[str, Api]  # well-known parameter names of functions nobody calls
    members: Mapping[str, Api]  # well-known attribute names on unknown objects
    environment: Mapping[str, Api]
    functions: Mapping[str, Api]  # well-known function names whose module cannot be resolved
    settings: Mapping[str, Api]  # environment variables and flags that libraries read
    anywhere: Mapping[str, Api]  # methods whose names nobody else uses

    # which files and functions are worth a look
    tokens: frozenset[bytes]
    leading: frozenset[bytes]  # last names of what communicates or tells ranks apart
    communicating: frozenset[str]  # last names of everything that may communicate
    meaningful: frozenset[str]  # last names of everything that means anything to some rule
    ranks: frozenset[str]  # last names of what says which rank this is
    places: frozenset[str]  # of what says which rank this is, or how many there are
    keyed: frozenset[str]  # last names of what makes, takes or hands on a key
    hooks: frozenset[str]  # of any framework
    libraries: frozenset[str]  # of which some row speaks

    # last names of calls that do one thing
    agreeing: frozenset[str]  # collectives that give all ranks the same
    waiting: frozenset[str]  # barriers
    joining_hosts: frozenset[str]  # what makes one program of the processes of several hosts
    joining: frozenset[str]  # what waits for a thread
    seeding: frozenset[str]  # what seeds a generator

    # what is known of values
    giving: tuple[str, ...]  # beginnings of names whose functions never return None
    not_giving: tuple[str, ...]  # beginnings of names that are exceptions to these
    giving_methods: frozenset[str]  # methods that never return None, whatever they are asked of
    answering: frozenset[str]  # classes whose instances know what other ranks do not
    handed: Mapping[str, frozenset[str]]  # hooks, and their parameters that are batches
    still: Mapping[str, bool]  # options, and the value with which a model draws nothing
    texts: frozenset[str]  # fields of records that hold texts, whoever has written them
    machines: tuple[str, ...]  # words of who reckons with more than one machine
    launched: frozenset[str]  # variables that every launcher of PyTorch sets
    axes: frozenset[str]  # options that say what of the arguments is mapped, static or given away
    draws: frozenset[str]  # options that say which generator draws
    beginning: frozenset[str]  # methods that make the weights of a layer
    sisters: frozenset[str]  # classes of libraries, none of which is derived from another of these
    alike: frozenset[str]  # functions that make parameters or storage for arrays like the one they are given
    shows: frozenset[str]  # libraries whose calls are for people to look at

    telling: Telling = field(default_factory=Telling)  # what makes a function worth running on its own
    lines: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of classes and their bases, as they are asked for

    def describes(self, name: str) -> bool:
        """Is this of a library that some row speaks of, or of Python's own?"""
        library = name.partition(".")[0]
        return library in self.libraries or library in sys.stdlib_module_names or hasattr(builtins, library)

    def always_gives(self, name: str) -> bool:
        return name.startswith(self.giving) and not name.startswith(self.not_giving)

    def canonical(self, name: str) -> str:
        """Replace alias prefixes, longest first, until nothing changes."""
        return _canonical(self, name)

    def api(self, name: str) -> Api | None:
        found = self.apis.get(name)
        if found is None:
            found = self.apis.get(self.canonical(name))
        return found

    def method(self, kind: str, name: str) -> Api | None:
        """A method of a library class, looked up along its bases."""
        for owner in self.ancestors(kind):
            found = self.apis.get(f"{owner}.{name}")
            if found is not None:
                return found
        return None

    def attribute(self, kind: str, name: str) -> Api | None:
        for owner in self.ancestors(kind):
            found = self.attributes.get(f"{owner}.{name}")
            if found is not None:
                return found
        return None

    def ancestors(self, kind: str) -> tuple[str, ...]:
        found = self.lines.get(kind)
        if found is None:
            found = self.lines[kind] = self._line(self.canonical(kind))
        return found

    def _line(self, kind: str) -> tuple[str, ...]:
        done: list[str] = []
        todo = [kind]
        while todo:
            owner = todo.pop(0)
            if owner in done:
                continue
            done.append(owner)
            known = self.types.get(owner)
            if known is not None:
                todo.extend(self.canonical(base) for base in known.bases)
        return tuple(done)


_CANONICAL: dict[tuple[int, str], str] = {}


def _canonical(knowledge: Knowledge, name: str) -> str:
    index = (id(knowledge.aliases), name)
    found = _CANONICAL.get(index)
    if found is None:
        found = name
        for _ in range(4):
            parts = found.split(".")
            for end in range(len(parts), 0, -1):
                prefix = ".".join(parts[:end])
                target = knowledge.aliases.get(prefix)
                if target is not None and target != prefix:
                    found = ".".join([target, *parts[end:]])
                    break
            else:
                break
        _CANONICAL[index] = found
    return found
