"""Does a loop around a DeepSpeed engine step in every turn? The engine counts micro-batches by its own steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.logs import Choice
from dtlint.machine.values import Object
from dtlint.timeline.order import Met, choices_below, exclusive, inside, loops_over
from dtlint.timeline.steps.stepping import events
from dtlint.timeline.steps.windows import several
from dtlint.timeline.symbols import periodic

BOUNDARY = "engine-boundary"


def steps_in_some_turns(run: Any) -> Iterator[tuple[Met, Met]]:
    """An engine that goes backward in every turn and steps in every n-th; nobody tells it where a window ends."""
    if events(run, "record", BOUNDARY):
        return
    for backward in events(run, "record", "backward"):
        engine, loops = backward.event.subject, loops_over(backward)
        if not loops or not isinstance(engine, Object) or not is_engine(backward):
            continue
        above = {id(choice) for choice, _ in choices_below(backward, loops[-1])}
        found = [
            step
            for step in events(run, "record", "optimizer-step")
            if step.event.subject is engine and inside(step, loops[-1]) and not exclusive(step, backward)
        ]
        own = [[one for one in choices_below(step, loops[-1]) if id(one[0]) not in above] for step in found]
        counted = (any(counts(choice.symbol, step) for choice, _ in one) for step, one in zip(found, own, strict=True))
        if own and not both_sides(own) and all(counted):
            yield backward, found[0]


def both_sides(own: list[list[tuple[Choice, int]]]) -> bool:
    """`if (turn + 1) % n == 0: …; engine.step()`, and `else: engine.step()`: there is a step in every turn."""
    last = {(id(choices[0][0]), choices[0][1]) for choices in own if len(choices) == 1}
    return any((choice, 1 - side) in last for choice, side in last)


def is_engine(met: Met) -> bool:
    call = met.event.extra.get("call")
    return call is not None and bool(call.row.extra.get("counts_by_steps"))


def counts(symbol: Any, step: Met) -> bool:
    return symbol is not None and periodic(symbol) and several(symbol, step)
