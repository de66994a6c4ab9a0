"""Does a loop around a DeepSpeed engine step in every turn? The engine counts micro-batches by its own steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.values import Object
from dtlint.timeline.order import Met, choices_below, exclusive, inside, loops_over
from dtlint.timeline.stepping import events
from dtlint.timeline.symbols import periodic
from dtlint.timeline.windows import several

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
        own = [[choice for choice, _ in choices_below(step, loops[-1]) if id(choice) not in above] for step in found]
        if own and all(any(counts(choice.symbol) for choice in choices) for choices in own):
            yield backward, found[0]


def is_engine(met: Met) -> bool:
    call = met.event.extra.get("call")
    return call is not None and bool(call.row.extra.get("counts_by_steps"))


def counts(symbol: Any) -> bool:
    return symbol is not None and periodic(symbol) and several(symbol)
