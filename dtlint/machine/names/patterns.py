"""Does what is matched have this form, and which names does that bind?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import lanes_in, row
from dtlint.machine.names import attributes, subscripts
from dtlint.machine.values import FALSE, TRUE, ClassRef, Const, External, Object, Row, Value

ITSELF = frozenset({"bool", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"})  # `int(n)`
IN_ORDER = "__match_args__"


def match(machine: Machine, pattern: Any, subject: Value, mask: int) -> Value:
    """Is it of this form? Names are bound on the way."""
    if pattern.kind == "value":
        return equals(machine, pattern.expr, subject, mask)
    if pattern.kind == "wildcard":
        return TRUE
    if pattern.kind == "capture":
        machine.assign(pattern.name, subject, mask)
        return TRUE
    if pattern.kind == "or":
        return together(machine, "or", [match(machine, child, subject, mask) for child in pattern.children])
    if pattern.kind == "as":
        return together(machine, "and", [match(machine, child, subject, mask) for child in pattern.children])
    known = KINDS[pattern.kind](machine, pattern, subject, mask) if pattern.kind in KINDS else None
    if known is not None:
        return known
    if isinstance(subject, Row):
        return on_each_lane(machine, pattern, subject, mask)
    bind_parts(machine, pattern, subject, mask)
    return machine.unknown("match", id(pattern), cause=subject.cause)


def on_each_lane(machine: Machine, pattern: Any, subject: Row, mask: int) -> Value:
    """Of another form on some lanes."""
    asked = {lane: match(machine, pattern, subject.lanes[lane], 1 << lane) for lane in lanes_in(mask)}
    some = next(iter(asked.values()))
    return row(tuple(asked.get(lane, some) for lane in range(len(subject.lanes))), subject.cause)


def equals(machine: Machine, expression: Any, subject: Value, mask: int) -> Value:
    from dtlint.machine.contents.operators import comparison

    return comparison(machine, "==", subject, machine.evaluate(expression, mask), mask)


def together(machine: Machine, word: str, answers: list[Value]) -> Value:
    from dtlint.machine.names.expressions import combine

    decided = TRUE if word == "or" else FALSE
    if any(answer == decided for answer in answers):
        return decided
    total: Value = FALSE if word == "or" else TRUE
    for answer in answers:
        total = combine(machine, word, total, answer)
    return total


def bind_parts(machine: Machine, pattern: Any, subject: Value, mask: int) -> None:
    """The names below a form of which nobody knows whether it is one."""
    if pattern.kind in ("capture", "rest"):
        if pattern.name is not None:
            machine.assign(pattern.name, machine.unknown("part", id(pattern), cause=subject.cause), mask)
        return
    for child in pattern.children:
        bind_parts(machine, child, subject, mask)


def sequence(machine: Machine, pattern: Any, subject: Value, mask: int) -> Value | None:
    """`case (0, _)`, `case [first, *rest]`"""
    items = parts(machine, subject)
    children = pattern.children
    starred = next((index for index, child in enumerate(children) if child.kind == "rest"), None)
    if items is None or isinstance(subject, Const):
        return None
    if len(items) != len(children) if starred is None else len(items) < len(children) - 1:
        return FALSE
    if starred is not None:
        after = len(children) - starred - 1
        middle = items[starred : len(items) - after]
        if children[starred].name is not None:
            machine.assign(children[starred].name, machine.new_list(middle, mask), mask)
        children = (*children[:starred], *children[starred + 1 :])
        items = (*items[:starred], *items[len(items) - after :])
    pairs = zip(children, items, strict=True)
    return together(machine, "and", [match(machine, child, item, mask) for child, item in pairs])


def parts(machine: Machine, subject: Value) -> tuple[Value, ...] | None:
    """The items, which may be others on each lane."""
    if not isinstance(subject, Row):
        return containers.items_of(machine, subject)
    lanes = [containers.items_of(machine, held) for held in subject.lanes]
    found = [items for items in lanes if items is not None]
    if len(found) < len(lanes) or len({len(items) for items in found}) > 1:
        return None
    return tuple(row(items, subject.cause) for items in zip(*found, strict=True))


def mapping(machine: Machine, pattern: Any, subject: Value, mask: int) -> Value | None:
    """`case {"role": "lead", **rest}`"""
    if not isinstance(subject, Object) or subject.kind != "dict" or "[]" in subject.attributes:
        return None
    answers: list[Value] = []
    for child in pattern.children:
        if child.kind == "rest":
            bind_parts(machine, child, subject, mask)
            continue
        key = machine.evaluate(child.expr, mask)
        if not isinstance(key, Const):
            return None
        if ("key", key.value) not in subject.attributes:
            return FALSE
        answers.append(match(machine, child.children[0], subscripts.item(machine, subject, key, mask), mask))
    return together(machine, "and", answers)


def of_class(machine: Machine, pattern: Any, subject: Value, mask: int) -> Value | None:
    """`case Lead(rank=0)`, `case int(n)`, `case Point(x, y)` of a class whose fields have an order"""
    from dtlint.machine.functions import calls

    kind = machine.evaluate(pattern.expr, mask)
    answer = calls.call_value(machine, External("builtins.isinstance"), (subject, kind), (), mask)
    if answer == FALSE:
        return FALSE
    inside = sum(1 << lane for lane in lanes_in(mask) if not isinstance(answer, Row) or answer.lanes[lane] != FALSE)
    names = in_order(machine, kind)
    answers = [answer]
    for position, child in enumerate(pattern.children):
        if child.kind == "field":
            name, inner = child.name, child.children[0]
        elif isinstance(kind, External) and kind.name.rpartition(".")[2] in ITSELF:
            answers.append(match(machine, child, subject, inside))
            continue
        elif position < len(names):
            name, inner = names[position], child
        else:
            return None
        answers.append(match(machine, inner, attributes.read(machine, subject, name, inside), inside))
    return together(machine, "and", answers)


def in_order(machine: Machine, kind: Value) -> list[str]:
    """What the places of a class pattern mean: its fields, or what the class says itself."""
    from dtlint.machine.functions import instances
    from dtlint.machine.names import classes

    if not isinstance(kind, ClassRef):
        return []
    told = classes.in_class(machine, kind, IN_ORDER)
    items = containers.items_of(machine, told) if told is not None else None
    if items is None:
        return instances.field_names(machine, kind)
    return [str(item.value) for item in items if isinstance(item, Const)]


KINDS = {"sequence": sequence, "mapping": mapping, "class": of_class}
