"""Does only a part of the ranks take a step that all of them learn by?

The gradients of one model are the same on all ranks. What the optimizer makes of them, and with which learning rate, is
up to each rank alone: nobody sends it to the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.evidence import alone
from dtlint.machine.logs import Decision, Event, decisions
from dtlint.machine.values import BY_RANK, Object
from dtlint.timeline.order import Met, loops_over
from dtlint.timeline.records import recorded
from dtlint.timeline.steps.parts import WRAPS, parted
from dtlint.timeline.steps.stepping import events, wrappers
from dtlint.timeline.symbols import objects_in

STEPS = ("optimizer-step", "scheduler-step")
SENDS = ("broadcast", "broadcast_object_list")


@dataclass(frozen=True, slots=True)
class Apart:
    """A step that `lanes` alone take, though they share the gradients of what `wrap` has wrapped with others."""

    event: Event
    lanes: int
    decision: Decision
    wrap: Event


def stepped_apart(run: Any) -> Iterator[Apart]:
    if alone(run):
        return
    met_by = {op: events(run, "record", op) for op in STEPS}
    for met in (*met_by["optimizer-step"], *met_by["scheduler-step"]):
        event = met.event
        decision = next((one for one in decisions(event.guards) if parts_by_rank(one)), None)
        if decision is None or not isinstance(event.subject, Object) or sent_later(run, met):
            continue
        lanes = taken(met_by[event.op], event.subject.number)
        optimizer = event.subject if event.op == "optimizer-step" else given(event.subject, "optimizer")
        if optimizer is None:
            continue
        if event.op == "scheduler-step" and not taken(met_by["optimizer-step"], optimizer.number) & ~lanes:
            continue  # who has no schedule does not learn either
        wrap = next((one for one in shared_by(run, optimizer) if parted(one, lanes)), None)
        if wrap is not None:
            yield Apart(event, lanes, decision, wrap)


def parts_by_rank(decision: Decision) -> bool:
    return decision.taken != decision.before and decision.cause is not None and decision.cause.kind in BY_RANK


def taken(found: list[Met], number: int) -> int:
    """The ranks that step with this one, here or on another branch."""
    lanes = 0
    for met in found:
        if isinstance(met.event.subject, Object) and met.event.subject.number == number:
            lanes |= met.event.mask
    return lanes


def given(made: Object, name: str) -> Object | None:
    call = made.facts.get("call")
    value = call.get(name) if isinstance(call, Invocation) else None
    return value if isinstance(value, Object) else None


def shared_by(run: Any, optimizer: Object) -> Iterator[Event]:
    """What wraps the model of this optimizer, or the optimizer with it, for the ranks that learn together."""
    call = optimizer.facts.get("call")
    learned = {number for value in call.values for number in objects_in(value)} if call is not None else set()
    for event, _ in recorded(run, "<collective>"):
        by = event.extra.get("call")
        if event.op in WRAPS and event.group is not None and isinstance(by, Invocation):
            held = {one.number for one in by.values if isinstance(one, Object)}
            if optimizer.number in held or not learned.isdisjoint({*held, *wrappers(run, by)}):
                yield event


def sent_later(run: Any, met: Met) -> bool:
    """Does the program send anything round when the step is done, or in each turn? It may be what the step has made."""
    turns = {id(loop) for loop in loops_over(met)}
    sent = events(run, "collective", *SENDS)
    return any(one.number > met.number or not turns.isdisjoint(map(id, loops_over(one))) for one in sent)
