"""Which keys does a dictionary have, and which does it lose?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.values import MISSING, Const, External, Object, Value


def entries(value: Object) -> Iterator[tuple[Any, Value]]:
    """The known keys of a dictionary that are still there, with what it holds under them."""
    for name, held in value.attributes.items():
        if isinstance(name, tuple) and name[0] == "key" and held is not MISSING:
            yield name[1], held


def take_out(machine: Machine, container: Value, index: Value, mask: int) -> None:
    """`del options["shuffle"]`, `options.pop("shuffle")`: on all lanes that have it; on some it may stay."""
    if isinstance(container, Object) and container.kind == "dict" and isinstance(index, Const):
        name = ("key", index.value)
        if name in container.attributes and mask & container.birth == container.birth:
            machine.set(container, name, MISSING, mask)


def one_of_makers(machine: Machine, base: Object, index: Value) -> Value | None:
    """`OPTIMIZERS[args.optimizer]`: whichever class of a library it is, the first stands for all."""
    held = [value for _, value in entries(base)]
    rows = [machine.knowledge.api(value.name) for value in held if isinstance(value, External)]
    if held and len(rows) == len(held) and index.cause is None and "[]" not in base.attributes:
        return held[0] if all(row is not None and row.does == "make" for row in rows) else None
    return None
