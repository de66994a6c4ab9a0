"""Which ranks have an attribute, or a variable, at all?

`if rank == 0: self.writer = …` leaves the others without a writer: reading it there is an AttributeError, and that of
`run = …` an UnboundLocalError. Values do not say so, for a read is mostly under the same guard; here it is kept who has
made what, and a read by somebody else is an event.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.machine.control.turn_questions import of_a_turn
from dtlint.machine.core import Machine
from dtlint.machine.logs import Decision, Place
from dtlint.machine.names import classes
from dtlint.machine.names.frames import Frame, Leaving
from dtlint.machine.values import BY_RANK, MISSING, Cause, ClassRef, Object, Row, Symbol, Trail, Value, lane_value

MADE_BY = "attributes made by some"
BOUND_BY = "variables bound by some"
FAILING = "where those that have not bound it read it first"


@dataclass(frozen=True, slots=True)
class Binding:
    """Where some ranks have bound a variable, and what had been asked there, and who had left, that nobody can tell."""

    path: str
    at: Place
    choices: tuple[Decision, ...]
    assumed: frozenset[tuple[Symbol, bool]]
    gone: tuple[Leaving, ...]


def written(machine: Machine, thing: Object, name: Any, mask: int) -> None:
    """Before these lanes give the thing this attribute."""
    known = machine.facts.get(MADE_BY)
    place = (thing.number, name)
    if known is not None and place in known:
        known[place] |= mask
    elif mask & thing.birth != thing.birth and thing.attributes.get(name, MISSING) is MISSING and by_rank(machine):
        made_by(machine, thing, name, mask)


def made_by(machine: Machine, thing: Object, name: Any, mask: int) -> None:
    """It has this attribute on these lanes only."""
    machine.facts.setdefault(MADE_BY, {})[thing.number, name] = mask | ~thing.birth


def forgotten(machine: Machine, thing: Object, name: Any) -> None:
    """Some take it away again: who has it is not known any more."""
    machine.facts.get(MADE_BY, {}).pop((thing.number, name), None)


def by_rank(machine: Machine) -> bool:
    cause = machine.control_cause()
    return cause is not None and cause.kind in BY_RANK


def lanes_with(machine: Machine, thing: Value, name: Any) -> int | None:
    """The lanes that have made this attribute, where some have not."""
    known = machine.facts.get(MADE_BY)
    have: int | None = known.get((thing.number, name)) if known and isinstance(thing, Object) else None
    return have if have is not None and machine.world.full & ~have else None


def asked(machine: Machine, thing: Value, name: Any, there: Value, absent: Value) -> Value | None:
    """`hasattr(thing, name)`, `getattr(thing, name, absent)`, where the answer depends on the rank."""
    have = lanes_with(machine, thing, name)
    if have is None:
        return None
    lanes = tuple(lane_value(there if have >> lane & 1 else absent, lane) for lane in range(machine.world.size))
    return Row(lanes, Cause("rank", Trail(machine.step(f"only some ranks have `{name}`"))))


def read(machine: Machine, thing: Object, name: Any, found: Value, mask: int) -> None:
    """Lanes read an attribute that only others have made."""
    have = lanes_with(machine, thing, name)
    if have is None or not mask & ~have or not isinstance(found, Object) or not isinstance(thing.kind, ClassRef):
        return
    if all(classes.in_class(machine, thing.kind, one) is None for one in (name, "__getattr__")):
        extra = {"made": found, "all": classes.called_as(machine, lambda known: known.hooks)}
        machine.emit_event("record", "absent-attribute", str(name), mask & ~have, subject=thing, extra=extra)


def bound(machine: Machine, name: str, mask: int) -> None:
    """Before these lanes bind this variable."""
    frame = machine.frame
    missing = name not in frame.global_names and frame.variables.get(name, MISSING) is MISSING
    if mask & frame.mask != frame.mask and missing and by_rank(machine):
        assumed = frozenset(machine.assumed)
        made = Binding(frame.path, machine.current_at, tuple(frame.choices), assumed, tuple(gone(frame)))
        machine.facts.setdefault(BOUND_BY, {})[id(frame.variables), name] = made
        machine.facts.get(FAILING, {}).pop((id(frame.variables), name), None)


def gone(frame: Frame) -> Iterator[Leaving]:
    """Who may have left in good order; whoever raises ends the job."""
    for one in (*frame.leavings, *(one for state in frame.loops for one in state.leavings)):
        if one.word != "raise":
            yield one


def left_in_a_turn(one: Leaving) -> bool:
    """`if step == total: break`: that is no question of who it is."""
    return of_a_turn(one.decision.symbol, one.decision.exit_answer is not False)


def looked_up(machine: Machine, name: str, mask: int) -> None:
    """Lanes read a variable that only others have bound, and nothing that was asked since may keep them away."""
    frame = machine.frame
    have = frame.variables.partly.get(name) if frame.variables.partly is not None else None
    made = machine.facts.get(BOUND_BY, {}).get((id(frame.variables), name)) if have is not None else None
    if have is None or made is None or not mask & ~have or any(state.node.handlers for state in frame.tries):
        return
    known = sum(one in made.choices for one in frame.choices)
    asked = (answer for answer in frame.answers[known:] if answer not in made.assumed)
    if not all(answer is not None and of_a_turn(*answer) for answer in asked):
        return
    if any(one.kind == "handler" for one in frame.choices):
        return
    if not all(one in made.gone or left_in_a_turn(one) for one in gone(frame)):
        return
    place = (frame.path, machine.current_at)
    if machine.facts.setdefault(FAILING, {}).setdefault((id(frame.variables), name), place) != place:
        return  # the first of such reads fails, in whatever turn of the loops around it
    extra = {"made": made, "bound": True, "all": classes.called_as(machine, lambda known: known.hooks)}
    machine.emit_event("record", "absent-attribute", name, mask & ~have, extra=extra)
