"""In which order do `sorted` and `list.sort` leave things that are known one by one?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents import plain, rearranged
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import NONE, Const, Object, Row, Tuple, Unknown, Value


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


TAKES = frozenset({"pop", "popleft"})
METHODS = frozenset({"pop", "insert", "remove", "index", "count", "reverse"})
OF_BOTH_ENDS = frozenset({"popleft", "appendleft", "extendleft", "rotate"})


def listed(machine: Machine, several: Object, name: str, call: Invocation) -> Value | None:
    """`stages.pop(0)`, `stages.insert(1, stage)`, `names.index("b")`, where it is known what stands where."""
    if call.keywords or (name in TAKES and not machine.frame.one_by_one):
        return None
    if name not in METHODS and not (name in OF_BOTH_ENDS and several.facts.get("builtin") == "deque"):
        return None

    def change(things: Any, *given: Any) -> Any:
        return getattr(things, name)(*given)

    return rearranged.rearranged(machine, several, change, call.arguments, call.mask)


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
