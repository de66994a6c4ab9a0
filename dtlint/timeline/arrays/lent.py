"""Does a thread still read a JAX buffer when it is given away?

A function that is handed to a thread reads what it is given some time later. A call that donates the same buffer, in
the same turn or in the next one, may come first, unless somebody waits for the thread in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dtlint.findings import Span
from dtlint.machine.logs import Event, LogNode, Loop
from dtlint.machine.run import Run
from dtlint.machine.walks import walk
from dtlint.timeline.arrays.lives import Use, exclude, site
from dtlint.timeline.arrays.reused_buffers import symbols_of
from dtlint.timeline.ranks.crossing import joins
from dtlint.timeline.records import recorded


@dataclass(frozen=True, slots=True)
class Lent:
    """A thread reads what a later call, `in_next_turn` or not, is given to overwrite."""

    thread: Use
    donor: Use
    in_next_turn: bool
    site: Span
    scope: str


def lent_buffers(run: Run) -> Iterator[Lent]:
    donors = [Use(one.extra["symbol"], one, path) for one, path in recorded(run, "<jax>") if one.op == "donate"]
    for start, path in recorded(run, "thread-start") if donors else ():
        for symbol in sorted(start.extra.get("reads", ()), key=repr):
            thread = Use(symbol, start, path, strong=False)
            found = later_in_this_turn(run, thread, donors) or early_in_the_next_turn(thread, donors)
            if found is not None:
                yield found
                break


def later_in_this_turn(run: Run, thread: Use, donors: list[Use]) -> Lent | None:
    between = events_after(run.walk(), thread.event)
    for event in between:
        if waits_for(event, thread):
            return None
        for donor in donors:
            if donor.event is event and donor.symbol is thread.symbol and meet(donor, thread):
                return Lent(thread, donor, False, *site(thread, shared(thread, donor)))
    return None


def early_in_the_next_turn(thread: Use, donors: list[Use]) -> Lent | None:
    """What this turn leaves behind is what the next one begins with."""
    for loop in (node for node in thread.path if isinstance(node, Loop) and node.again):
        held = (*loop.carried.items(), *loop.kept_by)
        names = {before for before, after in held if thread.symbol in symbols_of(after)}
        body = [node for node, _ in walk(loop.body) if isinstance(node, Event)]
        if any(waits_for(event, thread) for event in events_after(((one, ()) for one in body), thread.event)):
            continue
        for event in body:
            if waits_for(event, thread):
                break
            for donor in donors:
                if donor.event is event and donor.symbol in names and donor.event.mask & thread.event.mask:
                    return Lent(thread, donor, True, *site(thread, shared(thread, donor)))
    return None


def events_after(nodes: Iterable[tuple[LogNode, tuple[LogNode, ...]]], start: Event) -> Iterator[Event]:
    passed = False
    for node, _ in nodes:
        if passed and isinstance(node, Event):
            yield node
        passed = passed or node is start


def waits_for(event: Event, thread: Use) -> bool:
    return event.kind == "record" and event.op == "thread-join" and joins(event, thread.event)


def meet(donor: Use, thread: Use) -> bool:
    return bool(donor.event.mask & thread.event.mask) and not exclude(thread, donor)


def shared(one: Use, other: Use) -> int:
    """How many nodes are above both?"""
    pairs = zip(one.path, other.path, strict=False)
    return next((number for number, (mine, theirs) in enumerate(pairs) if mine is not theirs), len(one.path))
