"""Which keys does each rank have in a dictionary of which all keys are known: `if rank == 0: hooks["log"] = Log()`?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dtlint.machine.contents import lacking
from dtlint.machine.contents.dictionaries import as_key, entries
from dtlint.machine.core import Machine
from dtlint.machine.lanes import lanes_in
from dtlint.machine.values import MISSING, Cause, Const, Object, Row, Trail, Tuple, Unknown, Value, lane_value

OTHERS = "<others>"  # attribute of a dictionary of which some lanes have a key more: what is under keys nobody knows
OPEN = "keys of nobody knows whom"  # fact of such a dictionary: who has which key cannot be told


def put(machine: Machine, table: Object, name: Any, mask: int) -> None:
    """Before these lanes put something there."""
    lacking.written(machine, table, ("key", name), mask)
    new = table.attributes.get(("key", name), MISSING) is MISSING
    if new and mask & table.birth != table.birth and not lacking.by_rank(machine):
        table.facts[OPEN] = True


def taken_out(machine: Machine, table: Object, name: Any, mask: int) -> None:
    lacking.forgotten(machine, table, ("key", name))
    if mask & table.birth != table.birth:
        table.facts[OPEN] = True


def by_lane(machine: Machine, table: Value, view: Callable[[Any, Value], Value]) -> Row | Tuple | None:
    """What a walk over the dictionary gives to each lane, if some have had keys that others lack and nothing else is in
    doubt."""
    if not isinstance(table, Object) or table.kind != "dict" or not is_closed(table):
        return None
    having = [(key, held, lanes_with(machine, table, key)) for key, held in entries(table)]
    if all(lanes is None for _, _, lanes in having):
        return Tuple(tuple(view(key, held) for key, held, _ in having))
    full = machine.world.full
    rows = (
        tuple(view(key, lane_value(held, lane)) for key, held, lanes in having if (lanes or full) >> lane & 1)
        for lane in lanes_in(full)
    )
    return Row(tuple(map(Tuple, rows)), because(machine, table))


def is_closed(table: Object) -> bool:
    """Was nothing put there under a key that nobody knows?"""
    others, held = table.attributes.get(OTHERS), table.attributes.get("[]")
    if not isinstance(others, Unknown) or not isinstance(held, Unknown) or OPEN in table.facts:
        return False
    return others.symbol.key[:2] == ("others", table.number) and held.symbol.key[:1] == ("keys",)


def lanes_with(machine: Machine, table: Object, key: Any) -> int | None:
    return lacking.lanes_with(machine, table, ("key", key))


def because(machine: Machine, table: Object) -> Cause:
    held = table.attributes.get("[]")
    known = held.cause if held is not None else None
    return known or Cause("rank", Trail(machine.step("only some ranks have all of its keys")))


def found(machine: Machine, table: Object, key: Any, held: Value, otherwise: Value) -> Value:
    """`table.get(key, otherwise)`"""
    have = lanes_with(machine, table, key)
    if have is None or not is_closed(table):
        return held
    lanes = tuple(lane_value(held if have >> lane & 1 else otherwise, lane) for lane in lanes_in(machine.world.full))
    return Row(lanes, because(machine, table))


def asked(machine: Machine, table: Value, key: Value, there: Value, absent: Value) -> Value | None:
    """`key in table`, where the answer depends on the rank."""
    key = as_key(key)
    if not isinstance(table, Object) or not isinstance(key, Const) or not is_closed(table):
        return None
    if table.attributes.get(("key", key.value), MISSING) is MISSING:
        return absent
    return lacking.asked(machine, table, ("key", key.value), there, absent)
