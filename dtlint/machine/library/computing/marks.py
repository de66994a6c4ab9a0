"""How does a fact about a tensor travel with its value?

A mark is a tag on what the tensor, list or variable holds. Everything computed from a marked value is marked too, until
something gives the variable a new value.
"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.names import assignment
from dtlint.machine.values import Object, Row, Tuple, Unknown, Value

DEEPEST = 3
MARKED = "marked"  # first word of the symbol of a known value that has been marked


def put(machine: Machine, call: Invocation, param: str, tag: Any) -> None:
    """Mark what was given for a parameter."""
    value = call.get(param)
    if value is None:
        return
    if not put_into(machine, value, tag, call.mask):
        expression = call.expression(param)
        if isinstance(expression, ir.Name):
            held = machine.evaluate(expression, call.mask)
            assignment.assign_target(machine, expression, marked(machine, held, tag), call.mask)
        elif isinstance(expression, ir.Attr):  # by itself: that something came into it puts nothing to use
            base = machine.evaluate(expression.value, call.mask)
            held = machine.evaluate(expression, call.mask)
            assignment.write_attribute(machine, base, expression.name, marked(machine, held, tag), call.mask)


def put_into(machine: Machine, value: Value, tag: Any, mask: int, depth: int = 0) -> bool:
    """Mark an object in place; False for values that live in their variable only."""
    if isinstance(value, Row):
        done = [put_into(machine, held, tag, mask, depth) for held in value.lanes]
        return any(done)
    if isinstance(value, Tuple) and depth < DEEPEST:
        done = [put_into(machine, item, tag, mask, depth + 1) for item in value.items]
        return any(done)
    if not isinstance(value, Object):
        return False
    if value.kind == "torch.Tensor":
        machine.set(value, "content", marked(machine, value.attributes.get("content", value), tag), mask)
        return True
    if value.kind in ("list", "dict", "set"):
        held = value.attributes.get("[]")
        if isinstance(held, Tuple) and depth < DEEPEST:
            for item in held.items:
                put_into(machine, item, tag, mask, depth + 1)
            inner = tuple(item if isinstance(item, Object) else marked(machine, item, tag) for item in held.items)
            machine.set(value, "[]", Tuple(inner), mask)
        elif held is not None:
            machine.set(value, "[]", marked(machine, held, tag), mask)
        return True
    return False


def marked(machine: Machine, value: Value, tag: Any) -> Value:
    if isinstance(value, Unknown):
        return Unknown(value.symbol, value.cause, value.tags | {tag}, value.like)
    return machine.unknown(MARKED, token(value), cause=value.cause, tags=value.tags | {tag})


def deep_tags(values: tuple[Value, ...], depth: int = 0) -> frozenset[Any]:
    """The tags of values and of what they hold."""
    found: frozenset[Any] = frozenset()
    for value in values:
        if value.tags:
            found |= value.tags
        if isinstance(value, Row):
            found |= deep_tags(value.lanes, depth)
        if depth >= DEEPEST:
            continue
        if isinstance(value, Tuple):
            found |= deep_tags(value.items, depth + 1)
        elif isinstance(value, Object) and value.kind == "torch.Tensor":
            held = value.attributes.get("content")
            found |= deep_tags((held,), DEEPEST) if held is not None else frozenset()
        elif isinstance(value, Object) and value.kind in ("list", "set"):
            held = value.attributes.get("[]")
            found |= deep_tags((held,), depth + 1) if held is not None else frozenset()
        elif isinstance(value, Object) and value.kind == "dict":
            found |= deep_tags(tuple(value.attributes.values()), depth + 1)
    return found


def loaders_of(value: Value) -> frozenset[int]:
    """The numbers of the loaders from whose batches it was made, as a whole or in its parts."""
    return frozenset(tag[1] for tag in deep_tags((value,)) if isinstance(tag, tuple) and tag[0] == "loader")
