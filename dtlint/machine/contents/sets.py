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
from dtlint.machine.values import BY_SHARE, ITEMS, Cause, Const, Object, Symbol, Tuple, Unknown, Value

METHODS = {"difference": "-", "intersection": "&", "union": "|", "symmetric_difference": "^"}
OPERATORS = frozenset(METHODS.values())


def is_set(value: Value) -> bool:
    return isinstance(value, Object) and value.kind == "set"


def as_set(machine: Machine, left: Value, right: Value) -> Object | None:
    """`scores.keys() - {"step"}`: the keys of a dictionary are as good as a set; lists and tuples have no such
    operators."""
    if is_set(left):
        assert isinstance(left, Object)
        return left
    several = isinstance(right, Tuple) or (isinstance(right, Object) and right.kind in ("list", "set"))
    if isinstance(left, Tuple):
        return machine.new_list(left.items, machine.frame.mask, "set") if several else None
    if not several or not isinstance(left, Object) or left.kind != "list":
        return None
    made = machine.new("set", left.birth)
    made.attributes["[]"] = left.attributes.get("[]", Tuple(()))
    return made


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


def once(items: tuple[Value, ...]) -> tuple[Value, ...]:
    """A set has each of them once, as far as it is known which are the same."""
    kept: dict[Any, Value] = {}
    for item in items:
        same = item.value if isinstance(item, Const) else item
        try:
            kept.setdefault(same, item)
        except TypeError:  # what cannot be hashed is in no set
            kept[id(item)] = item
    return tuple(kept.values())


def repeated(value: Value) -> Cause | None:
    """`{row["label"] for row in mine}`: of equally many rows some ranks have more labels than others. Why, where the
    members were looked up in what is of this rank; what is itself an item may be another one each time."""
    if not isinstance(value, Unknown) or value.cause is None or value.cause.kind not in OWN:
        return None
    return value.cause if is_field(value.symbol) else None


OWN = BY_SHARE | {"data"}
# symbols: what a list holds, or one of it
GATHERED = frozenset({ITEMS, "mapped", "comprehension", "for each", "list", "item"})


def is_field(symbol: Symbol, near: int = 4) -> bool:
    """`row["label"]`, `row.label`, `text.split()`, or a list of these."""
    key = symbol.key
    if (key[0] == "item" and len(key) == 3) or key[0] in ("attr", "call"):
        return True
    inner = (part for part in key[1:] if isinstance(part, Symbol))
    return near > 0 and key[0] in GATHERED and any(is_field(part, near - 1) for part in inner)


def content(value: Value) -> Value:
    """What stands for the members; a set that was never filled stands for itself."""
    held = value.attributes.get("[]") if isinstance(value, Object) else None
    return held if held is not None else value


def is_order(tag: Any) -> bool:
    return isinstance(tag, tuple) and tag[0] == "order"
