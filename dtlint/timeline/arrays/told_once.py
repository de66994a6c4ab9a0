"""One key that a function uses again and again is one mistake: which of its places is told, and which beside it?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dtlint.findings import Span
from dtlint.timeline.arrays.lives import Again


def told_once(found: Iterable[Again]) -> Iterator[tuple[Again, tuple[Span, ...]]]:
    """The first place where a function uses this key again, and its others, in the order in which they come."""
    together: dict[object, list[Again]] = {}
    for again in found:
        key = (again.second.symbol, again.loop and id(again.loop), again.site.path, again.scope)
        together.setdefault(key, []).append(again)
    for first, *others in together.values():
        yield first, tuple(dict.fromkeys(one.site for one in others if one.site != first.site))
