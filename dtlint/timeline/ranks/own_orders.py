"""Which collective is made for one item after the other, where each rank comes to them in an order of its own?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.findings import Step
from dtlint.machine.library.computing.marks import deep_tags
from dtlint.machine.library.python.own_order import COMPLETED, RANKED, WALKED
from dtlint.machine.logs import Event, Loop, Site
from dtlint.machine.run import Run
from dtlint.machine.values import Unknown, Value
from dtlint.timeline.ranks.matching import EQUAL_SHAPES


@dataclass(frozen=True, slots=True)
class Walked:
    """`place` is where the order is made; `why` says what makes it."""

    event: Event
    place: Site
    why: str
    loop: Step


def own_orders(run: Run) -> Iterator[Walked]:
    seen: set[Site] = set()
    for node, path in run.walk():
        if not isinstance(node, Event) or node.kind != "collective" or node.op not in EQUAL_SHAPES:
            continue
        around = {(one.decision.path, one.decision.at): one for one in path if isinstance(one, Loop)}
        held = [value for value in (node.extra.get("held"), node.extra.get("tensor")) if value is not None]
        for tag in sorted(deep_tags(tuple(held)), key=repr):
            loop = around.get(tag[1:3]) if isinstance(tag, tuple) and tag[0] == WALKED else None
            if loop is None:
                continue
            made_by = tag[4] if len(tag) > 4 else None
            why = reason(made_by)
            if why == SHUFFLED and not any(map(is_kept, held)):
                continue  # made of samples, of which each rank may take others
            place = made_by[1:4] if made_by is not None else tag[1:4]
            if place not in seen:
                seen.add(place)
                decision = loop.decision
                yield Walked(node, place, why, Step.of(decision, f"`{decision.text}`"))


SHUFFLED = "each rank shuffles them for itself"


def reason(made_by: tuple[Any, ...] | None) -> str:
    if made_by is None:
        return "a set of texts has no order ranks share"
    if made_by[0] == RANKED:
        return "they are sorted by numbers of this rank"
    return "they come as soon as they are done here" if made_by[-1] == COMPLETED else SHUFFLED


def is_kept(value: Value) -> bool:
    """`sums[name]`: one of several things that the program has made and keeps by name or number."""
    key = value.symbol.key if isinstance(value, Unknown) else ()
    return key[:1] == ("item",) and isinstance(key[1], tuple) and key[1][0] == "object"
