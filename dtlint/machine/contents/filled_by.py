"""Which ranks have put something into a container that was empty? For the others it still is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dtlint.machine.core import Machine
from dtlint.machine.values import TRUE, Cause, Object, Row, Tuple, Value

CONTAINERS = ("dict", "list", "set")


def put(machine: Machine, container: Object, mask: int) -> None:
    if container.filled is None and not is_empty(container):
        return  # somebody has filled it before, and nobody looked who
    lanes, why = container.filled or (0, None)
    if lanes & mask != mask:
        container.filled = (lanes | mask, why or machine.control_cause())


def handed_over(machine: Machine, values: Iterable[Value], mask: int) -> None:
    """These lanes give it to something that may put anything into it."""
    for value in values:
        if isinstance(value, Object) and value.kind in CONTAINERS:
            lanes, why = value.filled or (0, None)
            value.filled = (lanes | mask, why or machine.control_cause())


def holders(value: Value, mask: int) -> tuple[int, Cause] | None:
    """The lanes for which there may be something in it, where these are not all, and why."""
    if not isinstance(value, Object) or value.kind not in CONTAINERS or value.instead or mask & ~value.birth:
        return None
    lanes, why = value.filled or (0, None)
    return (lanes & mask, why) if why is not None and lanes & mask and mask & ~lanes else None


def empty(machine: Machine, value: Value, mask: int, unsure: Callable[[Value], Value]) -> Row | None:
    """`not found`: true for the lanes that have put nothing into it, nobody knows of the others."""
    some = holders(value, mask)
    if some is None:
        return None
    lanes, why = some
    return Row(tuple(unsure(value) if lanes >> lane & 1 else TRUE for lane in machine.world.ranks()), why)


def is_empty(container: Object) -> bool:
    held = container.attributes.get("[]", Tuple(()))
    return held == Tuple(()) and not any(isinstance(name, tuple) for name in container.attributes)
