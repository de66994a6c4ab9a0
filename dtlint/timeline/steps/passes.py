"""Which passes through a wrapped model, each with a backward pass of its own, does the log have one after the other?

Where a loop goes over a few known items its turns stand in the log one by one, and so do the phases of a training: what
one of these passes leaves out gets no gradient, whatever the next one uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.machine.logs import Call, Choice, Event
from dtlint.machine.values import Object
from dtlint.machine.walks import visits


@dataclass(frozen=True, slots=True)
class Pass:
    """The forward pass and what it called; `sides` are those of the branches around it."""

    event: Event
    call: Call
    sides: frozenset[tuple[int, int]]


def passes(run: Any, models: Callable[[Event], list[Object]], model: Object) -> Iterator[Pass]:
    """Those of this model that were followed by their own backward pass, before there was another forward pass."""
    waiting: list[Pass] = []
    entered: Event | None = None
    forwards = 0
    for node, above in visits(run.log, lambda node, side: (node, side), modules=True):
        if isinstance(node, Call) and entered is not None and (node.path, node.at) == (entered.path, entered.at):
            sides = frozenset((id(one), side) for one, side in above if isinstance(one, Choice))
            waiting.append(Pass(entered, node, sides))
        entered = None
        if not isinstance(node, Event) or node.kind != "collective":
            continue
        if node.op == "forward" and model in models(node):
            forwards += 1
            entered = node
        elif node.op == "backward" and (node.subject is None or model in models(node)):
            if forwards == 1:
                yield from waiting
            waiting, forwards = [], 0


def without(found: list[Pass], runs: Callable[[Call, Object], bool], part: Object) -> Pass | None:
    """The pass that leaves this part out, where another on the same way through the program uses it."""
    using = [one for one in found if runs(one.call, part)]
    others = (one for one in found if one not in using)
    return next((one for one in others if any(one.sides == other.sides for other in using)), None)
