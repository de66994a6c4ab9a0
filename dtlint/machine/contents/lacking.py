"""Which ranks have an attribute at all?

`if rank == 0: self.writer = …` leaves the others without a writer: reading it there is an AttributeError. Values do not
say so, for a read is mostly under the same guard; here it is kept who has made what, and a read by somebody else is an
event.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.names import attributes
from dtlint.machine.values import BY_RANK, MISSING, Cause, ClassRef, Object, Row, Trail, Value, lane_value

MADE_BY = "attributes made by some"


def written(machine: Machine, thing: Object, name: Any, mask: int) -> None:
    """Before these lanes give the thing this attribute."""
    known = machine.facts.get(MADE_BY)
    place = (thing.number, name)
    if known is not None and place in known:
        known[place] |= mask
    elif mask & thing.birth != thing.birth and thing.attributes.get(name, MISSING) is MISSING and by_rank(machine):
        machine.facts.setdefault(MADE_BY, {})[place] = mask | ~thing.birth


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
    if all(attributes.in_class(machine, thing.kind, one) is None for one in (name, "__getattr__")):
        extra = {"made": found, "all": attributes.called_as(machine, lambda known: known.hooks)}
        machine.emit_event("record", "absent-attribute", str(name), mask & ~have, subject=thing, extra=extra)
