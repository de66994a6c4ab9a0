"""Why does a dictionary get other keys on some ranks?

A key that differs says so itself. One that was made of the item of a turn does so where some ranks take no part in the
turn: `if number % world == rank: counts[row["label"]] += 1`.
"""

from __future__ import annotations

from dtlint.machine.contents import containers, sets
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance
from dtlint.machine.values import Cause, Object, Symbol, Unknown, Value


def cause(machine: Machine, table: Object, key: Value) -> Cause | None:
    if key.cause is not None or not isinstance(key, Unknown) or not of_a_turn(machine, key.symbol):
        return key.cause
    part = containers.taken_apart(machine, table.number)
    if part is None:
        return None
    return part.uneven or (part.cause if sets.is_field(key.symbol) else None)


def of_a_turn(machine: Machine, key: Symbol) -> bool:
    """Was it made of what a loop around has come to?"""
    items: set[Symbol] = set()
    for frame in machine.frame.and_callers():
        for state in frame.loops:
            if state.item is not None:
                items.update(parts(token(state.item)))
    return bool(items) and any(symbol in items for symbol in provenance.symbols_in(key))


def parts(item: object) -> list[Symbol]:
    """`(number, line)`, or what has no parts that anybody knows."""
    if isinstance(item, tuple):
        return [symbol for one in item for symbol in parts(one)]
    return [item] if isinstance(item, Symbol) else []
