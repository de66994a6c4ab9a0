"""What would Python itself make of values that are known to their last part?

Where every part of what a function of the standard library is given is known, on each rank, nobody needs to describe
the function: it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from dtlint.machine.contents import containers, dictionaries
from dtlint.machine.core import Machine
from dtlint.machine.lanes import row
from dtlint.machine.values import FILLED, Cause, Const, Object, Row, Tuple, Value, lane_value

NOT_KNOWN = object()
DEEPEST = 4
LONGEST = 400  # of a text
MOST = 64  # items of a container
SHOWN = (str, bytes, bool, int, float, complex, type(None), re.Match)  # what a constant may hold


def computed(
    machine: Machine, function: Callable[..., Any], given: tuple[Value, ...], mask: int, **named: Value
) -> Value | None:
    """What the function gives for these values, on each lane; None where some part of one is not known."""
    values = (*given, *named.values())
    cause = differing(values)
    lanes = range(machine.world.size) if cause is not None else (0,)
    found: list[Value] = []
    for lane in lanes:
        things = [thing_of(value, lane) for value in values]
        if any(thing is NOT_KNOWN for thing in things):
            return None
        places = len(given)
        try:
            made = function(*things[:places], **dict(zip(named, things[places:], strict=True)))
        except Exception:  # a mistake of the program's, or of what was taken for one of its values
            return None
        value = value_of(machine, made, mask, scale_of(tuple(lane_value(value, lane) for value in values)))
        if value is None:
            return None
        found.append(value)
    return row(tuple(found), cause) if cause is not None else found[0]


def scale_of(values: tuple[Value, ...]) -> str | None:
    """A number made of a size of the imaginary world is one itself."""
    return next((value.scale for value in values if isinstance(value, Const) and value.scale), None)


def differing(values: tuple[Value, ...], deep: int = DEEPEST) -> Cause | None:
    """Why lanes hold different parts."""
    for value in values:
        if isinstance(value, Row):
            return value.cause
        found = differing(tuple(parts_of(value)), deep - 1) if deep else None
        if found is not None:
            return found
    return None


def parts_of(value: Value) -> Iterator[Value]:
    if isinstance(value, Tuple):
        yield from value.items
    elif isinstance(value, Object) and value.kind in ("list", "set", "dict"):
        yield from value.attributes.values()


def thing_of(value: Value, lane: int, deep: int = DEEPEST) -> Any:
    """What the lane holds, as a thing of Python's; NOT_KNOWN where it is not known to its last part. What has a size of
    the imaginary world inside is not: the user's cluster has another. Its ranks are ranks there, too."""
    value = lane_value(value, lane)
    if isinstance(value, Const):
        counted = value.scale not in (None, "rank") and deep < DEEPEST
        return NOT_KNOWN if counted or not isinstance(value.value, SHOWN) else value.value
    if not deep:
        return NOT_KNOWN
    if isinstance(value, Tuple):
        items = things_of(value.items, lane, deep)
        return NOT_KNOWN if items is None else tuple(items)
    if not isinstance(value, Object) or FILLED in value.attributes or value.doubted or value.instead:
        return NOT_KNOWN
    if not value.facts.keys() <= {containers.REPEATED}:
        return NOT_KNOWN
    if value.kind in ("list", "set"):
        held = lane_value(value.attributes.get("[]", NOTHING), lane)
        items = things_of(held.items, lane, deep) if isinstance(held, Tuple) else None
        if items is None:
            return NOT_KNOWN
        return items if value.kind == "list" else as_set(items)
    if containers.is_closed_table(value):
        known = dict(dictionaries.entries(value))
        items = things_of(tuple(known.values()), lane, deep)
        return NOT_KNOWN if items is None else dict(zip(known, items, strict=True))
    return NOT_KNOWN


NOTHING = Tuple(())


def things_of(values: tuple[Value, ...], lane: int, deep: int) -> list[Any] | None:
    if len(values) > MOST:
        return None
    things = [thing_of(value, lane, deep - 1) for value in values]
    return None if any(thing is NOT_KNOWN for thing in things) else things


def as_set(items: list[Any]) -> Any:
    """A set of texts has another order in each process: what depends on it is not known."""
    try:
        return NOT_KNOWN if len(items) > 1 and any(isinstance(item, str) for item in items) else set(items)
    except TypeError:
        return NOT_KNOWN


def value_of(machine: Machine, thing: Any, mask: int, scale: str | None = None) -> Value | None:
    """What a thing of Python's is to the program; None for what nobody can hold in the hand."""
    if isinstance(thing, SHOWN):
        if isinstance(thing, str | bytes) and len(thing) > LONGEST:
            return None
        return Const(thing, scale if isinstance(thing, int | float) and not isinstance(thing, bool) else None)
    if type(thing) not in (tuple, list, dict) or len(thing) > MOST:
        return None
    held = [value_of(machine, part, mask) for part in (thing.values() if type(thing) is dict else thing)]
    known = [value for value in held if value is not None]
    if len(known) < len(held):
        return None
    if type(thing) is tuple:
        return Tuple(tuple(known))
    if type(thing) is list:
        return machine.new_list(tuple(known), mask)
    made = machine.new("dict", mask)
    made.attributes.update({("key", key): value for key, value in zip(thing, known, strict=True)})
    return made


def kind_of(value: Value) -> type | None:
    """The class of which nothing is equal to anything of another; numbers are equal to each other."""
    if isinstance(value, Tuple):
        return tuple
    if isinstance(value, Object):
        return KINDS.get(value.kind) if not value.doubted and not value.facts and not value.instead else None  # type: ignore[arg-type]
    if not isinstance(value, Const) or value.value is None:
        return None
    return float if isinstance(value.value, int | float) else type(value.value)


KINDS: dict[str, type] = {"list": list, "dict": dict, "set": set}
