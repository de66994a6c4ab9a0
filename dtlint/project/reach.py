"""Which files can be reached from one, along the imports or against them?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def turned(edges: Mapping[str, Iterable[str]]) -> dict[str, set[str]]:
    """The same edges, each from its end to its start."""
    found: dict[str, set[str]] = {}
    for start, ends in edges.items():
        for end in ends:
            found.setdefault(end, set()).add(start)
    return found


def reached(start: str, edges: Mapping[str, set[str]]) -> set[str]:
    """What lies behind `start`; itself only where a way leads back to it."""
    found: set[str] = set()
    pending = [start]
    while pending:
        fresh = edges.get(pending.pop(), set()) - found
        found |= fresh
        pending.extend(fresh)
    return found
