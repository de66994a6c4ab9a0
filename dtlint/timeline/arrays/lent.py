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
from dtlint.timeline.arrays.lives import Use, exclude, site_after
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
    able = [one for one in donors if one.symbol is thread.symbol and not exclude(thread, one)]
    donor = first_of(events_after(run.walk(), thread.event), thread, able)
    return Lent(thread, donor, False, *site_after(donor.path, thread)) if donor is not None else None


def early_in_the_next_turn(thread: Use, donors: list[Use]) -> Lent | None:
    """What this turn leaves behind is what the next one begins with."""
    for loop in (node for node in thread.path if isinstance(node, Loop) and node.again):
        if any(waits_for(event, thread) for event in events_after(walk(loop.body), thread.event)):
            continue
        held = (*loop.carried.items(), *loop.kept_by)
        names = {before for before, after in held if thread.symbol in symbols_of(after)}
        able = [one for one in donors if one.symbol in names]
        donor = first_of((node for node, _ in walk(loop.body) if isinstance(node, Event)), thread, able)
        if donor is not None:
            return Lent(thread, donor, True, *site_after(donor.path, thread))
    return None


def first_of(events: Iterable[Event], thread: Use, donors: list[Use]) -> Use | None:
    """The first of these calls that comes before anybody has waited for the thread."""
    for event in events:
        if waits_for(event, thread):
            return None
        for donor in donors:
            if donor.event is event and event.mask & thread.event.mask:
                return donor
    return None


def events_after(nodes: Iterable[tuple[LogNode, tuple[LogNode, ...]]], start: Event) -> Iterator[Event]:
    passed = False
    for node, _ in nodes:
        if passed and isinstance(node, Event):
            yield node
        passed = passed or node is start


def waits_for(event: Event, thread: Use) -> bool:
    return event.kind == "record" and event.op == "thread-join" and joins(event, thread.event)
