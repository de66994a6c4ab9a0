"""Which counts and lists differ after a loop that some lanes turn more often than others?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.control.widening import Place, Places, written_since
from dtlint.machine.core import Machine
from dtlint.machine.lanes import overlay, restrict, token
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.logs import Loop
from dtlint.machine.names.frames import Leaving, LoopState
from dtlint.machine.values import MISSING, Cause, Unknown, Value


def turned_apart(loop: Loop, state: LoopState) -> Cause | None:
    """Why lanes turn it more or less often: they walk over more or fewer, or some break while others stay."""
    if loop.cause is not None:
        return loop.cause
    breaks = (leaving for leaving in state.leavings if leaving.word == "break")
    return next((cause for leaving in breaks if (cause := cause_of(leaving)) is not None), None)


def cause_of(leaving: Leaving) -> Cause | None:
    """Why some lanes left by a jump where others stayed."""
    decision = leaving.decision
    step = Step.of(decision, f"`{leaving.word}` where `{decision.text}`")
    return decision.cause.then(step) if decision.cause is not None else None


def left_elsewhere(machine: Machine, mark: int, widened: Places, start: dict[Place, Value]) -> None:
    """`done += 1` of who walks through this generator, `self.steps += 1`: what the loop does not assign by a name of
    its own, and who stands around it has changed before."""
    for place, container, name, old in written_since(machine, mark):
        if place not in widened and isinstance(old, Unknown):
            widened[place], start[place] = (container, name), old


def carried_on(widened: Places, start: dict[Place, Value]) -> Iterator[Place]:
    """`steps += 1`, `kept.append(row)`: what a turn leaves here is made of what the turn before had left."""
    for place, (container, name) in widened.items():
        before, now = start[place], container.get(name, MISSING)
        if isinstance(before, Unknown) and isinstance(now, Unknown) and now is not before:
            if before.symbol in symbols_in(now.symbol):
                yield place


def count_apart(
    machine: Machine, node: ir.For | ir.While, widened: Places, places: list[Place], cause: Cause, mask: int
) -> None:
    for place in places:
        container, name = widened[place]
        old = container.get(name, MISSING)
        here = restrict(old, mask) if old is not MISSING else old
        if not isinstance(here, Unknown):
            continue
        tags = here.tags | {containers.UNEVEN} if name == "[]" else here.tags
        if here.cause is not None and tags == here.tags:
            continue  # it differs as it is
        new: Value = machine.unknown("loop", id(node), str(name), token(here), cause=cause, tags=tags, like=here.like)
        if here is not old:
            new = overlay(old, new, mask, machine.world, cause)
        machine.replace(container, name, new)
