"""Which ranks have put something into a container that was empty? For the others it still is."""

from __future__ import annotations

from collections.abc import Iterable

from dtlint.machine.core import Machine
from dtlint.machine.values import Cause, Object, Tuple, Value

CONTAINERS = ("dict", "list", "set")


def put(machine: Machine, container: Object, mask: int) -> None:
    if container.filled is None and not is_empty(container):
        return  # somebody has filled it before, and nobody looked who
    lanes, why = container.filled or (0, None)
    if lanes & mask != mask:
        container.filled = (lanes | mask, why or machine.control_cause())


def handed_over(machine: Machine, values: Iterable[Value]) -> None:
    """To something that may put anything into it."""
    for value in values:
        if isinstance(value, Object) and value.kind in CONTAINERS:
            value.filled = (machine.world.full, None)


def holders(value: Value, mask: int) -> tuple[int, Cause] | None:
    """The lanes for which there may be something in it, where these are not all, and why."""
    if not isinstance(value, Object) or value.kind not in CONTAINERS or value.instead or mask & ~value.birth:
        return None
    lanes, why = value.filled or (0, None)
    return (lanes & mask, why) if why is not None and lanes & mask and mask & ~lanes else None


def is_empty(container: Object) -> bool:
    held = container.attributes.get("[]", Tuple(()))
    return held == Tuple(()) and not any(isinstance(name, tuple) for name in container.attributes)
