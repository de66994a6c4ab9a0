"""What do the operators and methods of sets make of two sets?

The members are computed where both sides are written down; otherwise the result is a set of which only is known what it
was made of. It has no order of its own, and keeps the marks of what its members were made of.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.contents.opaque import first_cause
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.values import Const, Object, Unknown, Value

METHODS = {"difference": "-", "intersection": "&", "union": "|", "symmetric_difference": "^"}
OPERATORS = frozenset(METHODS.values())


def is_set(value: Value) -> bool:
    return isinstance(value, Object) and value.kind == "set"


def combined(machine: Machine, op: str, left: Object, right: Value) -> Object:
    made = machine.new("set", left.birth)
    first, second = containers.items_of(machine, left), containers.items_of(machine, right)
    if written(first) and written(second):
        assert first is not None and second is not None
        return machine.new_list(members(op, first, second), left.birth, "set")
    held, other = content(left), content(right)
    tags: frozenset[Any] = held.tags
    others = other.tags if op in "|^" else frozenset(tag for tag in other.tags if not is_order(tag))
    symbol = machine.symbols.of(f"op {op}", token(held), token(other))
    cause = first_cause(left, held, right, other)
    made.attributes["[]"] = Unknown(symbol, cause, tags | others, getattr(held, "like", None))
    return made


def written(items: tuple[Value, ...] | None) -> bool:
    return items is not None and all(isinstance(item, Const) for item in items)


def members(op: str, first: tuple[Value, ...], second: tuple[Value, ...]) -> tuple[Value, ...]:
    only = tuple(item for item in first if (item in second) == (op == "&"))
    if op in "-&":
        return only
    more = tuple(item for item in second if item not in first)
    return (*first, *more) if op == "|" else (*only, *more)


def content(value: Value) -> Value:
    """What stands for the members; a set that was never filled stands for itself."""
    held = value.attributes.get("[]") if isinstance(value, Object) else None
    return held if held is not None else value


def is_order(tag: Any) -> bool:
    return isinstance(tag, tuple) and tag[0] == "order"
