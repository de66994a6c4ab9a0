"""Are the gradients cleared wherever the optimizer steps?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.logs import Choice, Loop, Site
from dtlint.machine.values import Symbol
from dtlint.timeline.order import Met, choices_below, inside, loops_over
from dtlint.timeline.steps.models_used import changes
from dtlint.timeline.steps.stepping import backwards, events, steps


def kept_on_one_side(run: Any) -> Iterator[tuple[Met, Met]]:
    """A step after which nobody clears, as the clearing of this loop stands on the other side of a setting; and that
    clearing."""
    if events(run, "record", "grad-write"):
        return
    clears = events(run, "record", "zero-grad")
    passes = backwards(run)
    for step in steps(run):
        around = loops_over(step)
        here = [clear for clear in clears if around and inside(clear, around[-1])]
        if not here or not {place(clear) for clear in clears} <= {place(clear) for clear in here}:
            continue  # the loop may be come to in several ways, and is the same in each
        trains = any(inside(one, around[-1]) and one.event.mask & step.event.mask for one in passes)
        if trains and all(apart(step, clear, around[-1]) for clear in here):
            yield step, here[0]


def place(met: Met) -> Site:
    return met.event.path, met.event.at, met.event.function


def apart(step: Met, clear: Met, loop: Loop) -> bool:
    """Does a setting, the same in all turns, let a run come to one of them only?"""
    mine = sides(step, loop)
    return any(mine.get(symbol, side) != side for symbol, side in sides(clear, loop).items())


def sides(met: Met, loop: Loop) -> dict[Symbol, int]:
    return {
        choice.symbol: side
        for choice, side in choices_below(met, loop)
        if choice.symbol is not None and lasting(choice)
    }


def lasting(choice: Choice) -> bool:
    return choice.cause is None and not changes(choice)
