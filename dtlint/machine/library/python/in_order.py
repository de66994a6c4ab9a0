"""In which order do `sorted` and `list.sort` leave things that are known one by one?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents import plain
from dtlint.machine.core import Machine
from dtlint.machine.lanes import row
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import FILLED, NONE, Const, Object, Row, Tuple, Unknown, Value


def arranged(machine: Machine, call: Invocation, items: tuple[Value, ...]) -> tuple[Value, ...] | None:
    """`sorted(hooks, key=lambda hook: hook.priority)`, `names.sort(reverse=True)`; things of the project that nobody
    knows the numbers of stay as they stand: all ranks walk over them in one order."""
    if any(isinstance(item, Row | Unknown) for item in items):
        return None
    asked = dict(call.keywords)
    by, backwards = asked.get("key", NONE), asked.get("reverse", Const(False))
    judged = items if by == NONE else tuple(judged_of(machine, by, item, call.mask) for item in items)
    keys = [compared_by(one) for one in judged]
    if None not in keys and isinstance(backwards, Const):
        try:
            order = sorted(range(len(items)), key=keys.__getitem__, reverse=bool(backwards.value))
        except TypeError:
            return None
        return tuple(items[place] for place in order)
    differs = any(one.cause is not None for one in judged)
    return None if differs or any(isinstance(item, Const | Tuple) for item in items) else items


CHANGES = frozenset({"pop", "popleft", "insert", "remove"})
ASKS = frozenset({"index", "count"})


def listed(machine: Machine, several: Object, name: str, call: Invocation) -> Value | None:
    """`stages.pop(0)`, `stages.insert(1, stage)`, `names.index("b")`, where it is known what stands where, and all
    lanes that have the list ask it."""
    held = several.attributes.get("[]")
    if not isinstance(held, Tuple) or call.keywords or FILLED in several.attributes or several.birth & ~call.mask:
        return None
    if name in ASKS or name == "remove":
        place = place_of(held.items, call.arguments[0]) if len(call.arguments) == 1 else None
        if name == "count" or place is None:
            return None
        if name == "index":
            return Const(place)
        return changed(machine, several, (*held.items[:place], *held.items[place + 1 :]), call.mask, NONE)
    if name == "pop" and call.arguments and isinstance(call.arguments[0], Row) and not machine.frame.loops:
        return popped_by_lane(machine, several, held, call.arguments[0], call.mask)
    wanted = call.arguments[:1] or ((Const(0),) if name == "popleft" else (Const(-1),))
    if not isinstance(wanted[0], Const) or type(wanted[0].value) is not int or wanted[0].scale:
        return None
    items, place = list(held.items), wanted[0].value
    if name == "insert":
        if len(call.arguments) != 2:
            return None
        items.insert(place, call.arguments[1])
        return changed(machine, several, tuple(items), call.mask, NONE)
    if not -len(items) <= place < len(items) or machine.frame.loops:
        return None
    taken = items.pop(place)
    return changed(machine, several, tuple(items), call.mask, taken)


def popped_by_lane(machine: Machine, several: Object, held: Tuple, places: Row, mask: int) -> Value | None:
    """`others.pop(rank)`: each lane takes out another one."""
    taken: list[Value] = []
    left: list[Value] = []
    for place in places.lanes:
        at = place.value if isinstance(place, Const) and isinstance(place.value, int) else len(held.items)
        if not -len(held.items) <= at < len(held.items):
            return None
        rest = list(held.items)
        taken.append(rest.pop(at))
        left.append(Tuple(tuple(rest)))
    machine.set(several, "[]", row(tuple(left), places.cause), mask)
    return row(tuple(taken), places.cause)


def changed(machine: Machine, several: Object, items: tuple[Value, ...], mask: int, answer: Value) -> Value:
    machine.set(several, "[]", Tuple(items), mask)
    return answer


def place_of(items: tuple[Value, ...], wanted: Value) -> int | None:
    """Where it stands first; None where something before it may be the same."""
    if not isinstance(wanted, Const):
        return None
    for place, item in enumerate(items):
        if not isinstance(item, Const):
            return None
        if item.value == wanted.value:
            return place
    return None


def judged_of(machine: Machine, by: Value, item: Value, mask: int) -> Value:
    from dtlint.machine.functions import calls

    return calls.call_value(machine, by, (item,), (), mask)


def compared_by(one: Value) -> Any:
    """A constant, or the constants of a tuple or a list."""
    if isinstance(one, Const):
        return (one.value,)
    if isinstance(one, Object) and one.kind == "list":
        known = plain.thing_of(one, 0) if plain.differing((one,)) is None else plain.NOT_KNOWN
        return None if known is plain.NOT_KNOWN else known
    parts = [compared_by(part) for part in one.items] if isinstance(one, Tuple) else [None]
    return None if None in parts else tuple(parts)
