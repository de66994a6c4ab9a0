"""Does a module learn, or is it only asked? `model.eval()` tells everything inside it, which reads `self.training`."""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training.modules import is_module
from dtlint.machine.values import FALSE, TRUE, ClassRef, Object, Row, Tuple, Value

MODE = "training"
HOLDERS = ("list", "dict")
DEPTH = 8


def learns(machine: Machine, call: Invocation) -> Value:
    """`model.train(mode=True)`"""
    return told(machine, call, call.get("mode") or TRUE)


def is_asked(machine: Machine, call: Invocation) -> Value:
    """`model.eval()`"""
    return told(machine, call, FALSE)


def told(machine: Machine, call: Invocation, mode: Value) -> Value:
    for module in modules(machine, call.receiver, DEPTH, set()):
        if isinstance(module.kind, ClassRef) and module.attributes.get(MODE) != mode:
            machine.set(module, MODE, mode, call.mask)
    return call.receiver if call.receiver is not None else machine.unknown("module")


def modules(machine: Machine, value: Value | None, depth: int, seen: set[int]) -> Iterator[Object]:
    """The module and those inside it."""
    if isinstance(value, Row | Tuple):
        for held in value.lanes if isinstance(value, Row) else value.items:
            yield from modules(machine, held, depth, seen)
    if not isinstance(value, Object) or value.number in seen or not depth:
        return
    seen.add(value.number)
    if is_module(machine, value):
        yield value
    elif value.kind not in HOLDERS:
        return
    made = value.facts.get("call")
    given = made.arguments if isinstance(made, Invocation) else ()
    for held in (*value.attributes.values(), *given):
        yield from modules(machine, held, depth - 1, seen)


MODELS = {"module_learns": learns, "module_is_asked": is_asked}
