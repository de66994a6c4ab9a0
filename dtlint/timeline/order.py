"""Which events come before which others, on the same way through the program?

The log of a run as one list, in program order, with the nodes above each event and the side it hangs on. The events of
a module that an `import` runs stand where the import stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.machine.logs import Attempt, Choice, Event, LogNode, Loop, told
from dtlint.machine.values import Symbol
from dtlint.machine.walks import visits

Above = tuple[tuple[LogNode, int], ...]


@dataclass(frozen=True, slots=True)
class Met:
    """An event with its place in the order; `above` are the nodes it hangs under, outermost first, each with the
    number of the side."""

    number: int
    event: Event
    above: Above

    @property
    def conditional(self) -> bool:
        return any(isinstance(node, Choice) for node, _ in self.above)


def ordered(run: Any) -> list[Met]:
    """Every event of the run; computed once."""
    found: list[Met] | None = run.cache.get("order")
    if found is None:
        events = (
            (node, above)
            for node, above in visits(run.log, lambda node, side: (node, side), modules=True)
            if isinstance(node, Event)
        )
        found = run.cache["order"] = [Met(number, event, above) for number, (event, above) in enumerate(events)]
    return found


def exclusive(first: Met, second: Met) -> bool:
    """Do the two hang on different sides of one branch, so that no run meets both?"""
    for (one, side), (other, other_side) in zip(first.above, second.above, strict=False):
        if one is not other:
            return False
        if side != other_side:
            return isinstance(one, Choice)
    return False


def before(run: Any, later: Met) -> Iterator[Met]:
    """The events on the way to `later`, earliest first."""
    for met in ordered(run):
        if met.number >= later.number:
            return
        if met.event.mask & later.event.mask and not exclusive(met, later):
            yield met


def open_questions(earlier: Met, later: Met) -> list[Symbol | None]:
    """What decides whether the earlier one happens at all, on the way to the later one: a branch that both hang under
    decides nothing, nor does a question that a branch above the later one has answered alike."""
    known = {
        answer
        for node, side in later.above
        if isinstance(node, Choice)
        for answer in told(node.decision.symbol, side == 0)
    }
    above_both = {id(node) for node, _ in later.above}
    return [
        node.decision.symbol
        for node, side in earlier.above
        if isinstance(node, Choice)
        and id(node) not in above_both
        and known.isdisjoint(told(node.decision.symbol, side == 0)[:1])
    ]


def loops_over(met: Met) -> list[Loop]:
    """The loops around an event, outermost first."""
    return [node for node, _ in met.above if isinstance(node, Loop)]


def in_each_turn(met: Met, turns: LogNode) -> bool:
    """Inside of it, in no loop of its own there, and not where only a failure leads."""
    return inside(met, turns) and not any(
        isinstance(one, Loop) or of_a_failure(one, side) for one, side in below(met, turns)
    )


def of_a_failure(node: LogNode, side: int) -> bool:
    """Is this side of the node a handler: what is done when the body has failed?"""
    return isinstance(node, Attempt) and 0 < side <= len(node.handlers)


def below(met: Met, node: LogNode) -> Above:
    """What is above the event, but inside `node`."""
    for index, (one, _) in enumerate(met.above):
        if one is node:
            return met.above[index + 1 :]
    return ()


def inside(met: Met, node: LogNode) -> bool:
    return any(one is node for one, _ in met.above)


def choices_below(met: Met, node: LogNode) -> list[tuple[Choice, int]]:
    """The undecided branches between `node` and the event."""
    return [(one, side) for one, side in below(met, node) if isinstance(one, Choice)]
