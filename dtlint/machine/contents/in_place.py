"""Something nobody knows the inside of was changed where it is: which variables hold the new value now?

An object carries its content with it. A value that is only known to be a tensor of the data is not one: every name
for it, here and in the calls that led here, has to be told.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.names import assignment
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import ClassRef, Object, Unknown, Value

SAME_MEMORY = ("data",)  # attributes of a tensor that are the tensor itself, without its history


def changed(machine: Machine, expression: ir.Expr | None, old: Value, new: Value, mask: int) -> None:
    """`all_reduce(total)`, `total.copy_(other)`, where `total` was handed in by the caller."""
    while (seen_through := owner(machine, expression)) is not None:
        expression = seen_through
        old = machine.evaluate(expression, mask)
    if isinstance(expression, ir.Name | ir.Attr | ir.Index):
        assignment.assign_target(machine, expression, new, mask)
    frame: Frame | None = machine.frame
    while frame is not None and (renamed(machine, frame, old, new, mask) or frame is machine.frame):
        frame = frame.caller


def owner(machine: Machine, expression: ir.Expr | None) -> ir.Expr | None:
    """The tensor whose memory this is: `total` in `total.data`, `losses[name]` in `losses[name].detach()`."""
    if isinstance(expression, ir.Attr) and expression.name in SAME_MEMORY:
        return expression.value
    if isinstance(expression, ir.Call) and isinstance(expression.func, ir.Attr):
        row = machine.knowledge.apis.get(f"torch.Tensor.{expression.func.name}")
        named = not any(isinstance(node, ir.Call) for node in every_node(expression.func.value))
        if row is not None and row.extra.get("same_memory") and named:
            return expression.func.value
    return None


def copied(value: Value) -> Value:
    """`weight.copy_(other.data)`: the weight holds the same numbers now, and is still a tensor with a history."""
    while isinstance(value, Unknown) and value.symbol.key[0] == "attr" and value.symbol.key[2] in SAME_MEMORY:
        value = Unknown(value.symbol.key[1], value.cause, value.tags)
    return value


OF_ARRAYS = "torch.from_numpy"  # makes a tensor that is the array itself


def renamed(machine: Machine, frame: Frame, old: Value, new: Value, mask: int) -> bool:
    of_array = isinstance(old, Unknown) and old.symbol.key[0] == OF_ARRAYS
    array = old.symbol.key[1] if of_array else None  # type: ignore[attr-defined]

    def is_it(held: Value) -> bool:
        return held is old or (array is not None and isinstance(held, Unknown) and held.symbol is array)

    names = [name for name, held in frame.variables.items() if is_it(held)]
    for name in names:
        machine.store(frame.variables, name, new, mask, frame.mask)
    slots = [
        (thing, name)
        for thing in (frame.receiver, *frame.variables.values())
        if isinstance(thing, Object) and isinstance(thing.kind, ClassRef)
        for name, held in thing.attributes.items()
        if is_it(held)
    ]
    for thing, name in slots:
        machine.set(thing, name, new, mask)
    return bool(names or slots)
