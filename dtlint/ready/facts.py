"""What does the source show that a program does, whether or not it does it right?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True, order=True)
class Fact:
    """One place that shows one thing: `kind` is a word of the check-list (see `items`), `text` the call as written."""

    path: str
    line: int
    kind: str
    text: str


class Facts(Protocol):
    """Whoever knows the program: the scan of names in `scanning`, or the machine that has run it."""

    def of(self, *kinds: str) -> tuple[Fact, ...]:
        """The places that show one of `kinds`, in order of path and line."""

    @property
    def hosts(self) -> int | None:
        """How many processes read data, when the source says so."""


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """Facts that have been collected already."""

    by_kind: Mapping[str, tuple[Fact, ...]] = field(default_factory=dict)
    hosts: int | None = None

    def of(self, *kinds: str) -> tuple[Fact, ...]:
        return tuple(sorted({fact for kind in kinds for fact in self.by_kind.get(kind, ())}))


def collected(facts: Iterable[Fact], hosts: int | None = None) -> KnownFacts:
    by_kind: dict[str, list[Fact]] = {}
    for fact in facts:
        by_kind.setdefault(fact.kind, []).append(fact)
    return KnownFacts({kind: tuple(sorted(items)) for kind, items in by_kind.items()}, hosts)
