"""`functools.cached_property`, `functools.cache`: what ran once on a rank does not run there again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.logs import Decision
from dtlint.machine.values import MISSING, Const, FunctionRef, Object, Value

PROPERTIES = ("cached_property", "lazy_property")
FUNCTIONS = ("cache", "lru_cache")


def of_property(machine: Machine, thing: Object, name: str, mask: int, make: Callable[[int], Value]) -> Value:
    machine.heap_reads += 1
    return once(machine, thing.attributes, name, thing.birth, mask, make)


def of_function(
    machine: Machine, function: FunctionRef, arguments: tuple[Value, ...], mask: int, make: Callable[[int], Value]
) -> Value:
    """Calls with equal constants are one call; what else is handed over is not compared. Some lanes that hand over
    such a thing, where all of them have been here before, may get what was kept: then nobody communicates for it."""
    holder = function.closure
    if holder is None:
        return make(mask)
    machine.heap_reads += 1
    if not all(isinstance(value, Const) for value in arguments):
        if function.node.tokens.isdisjoint(machine.interesting):
            return make(mask)
        before = f"<asked> {function.name}"
        if before in holder.variables and machine.parted(mask):
            return machine.fresh("kept")
        if mask == machine.world.full:
            machine.heap_writes += 1
            machine.oldest_write = 0
            machine.store(holder.variables, before, Const(True), mask, holder.mask)
        return make(mask)
    name = f"{function.name}{tuple(token(value) for value in arguments)}"
    return once(machine, holder.variables, name, holder.mask, mask, make)


def once(machine: Machine, container: Any, name: str, owners: int, mask: int, make: Callable[[int], Value]) -> Value:
    """Only the lanes that have not made it yet make it; where that is not known, nobody does."""
    value_key, lanes_key = f"<kept> {name}", f"<kept by> {name}"
    done = container.get(lanes_key, MISSING)
    held = container.get(value_key, MISSING)
    if done is not MISSING and not isinstance(done, Const):
        return held if held is not MISSING else machine.fresh("kept")
    have = done.value if done is not MISSING else 0
    left = mask & ~have
    if not left:
        return held
    if have & mask:
        frame = machine.frame
        cause = machine.control_cause() or held.cause
        decision = Decision("branch", frame.path, machine.current_at, name, cause, left, mask, frame.scope)
        made: list[Value] = []

        def inside() -> int:
            made.append(make(left))
            return left

        machine.guarded(decision, inside)
        value = made[0]
    else:
        value = make(left)
    machine.heap_writes += 1
    machine.oldest_write = 0
    machine.store(container, value_key, value, left, owners)
    machine.store(container, lanes_key, Const(have | left), owners, owners)
    return container[value_key]


__all__ = ["FUNCTIONS", "PROPERTIES", "of_function", "of_property"]
