"""How wide is a table of rows that were filled up to the longest of them?

`pad_sequence(texts)` is asked for where the rows are of unequal lengths. Where each rank has rows of its own, the table
is as wide as the longest of this rank.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.contents.opaque import opaque
from dtlint.machine.contents.sets import content
from dtlint.machine.core import Machine
from dtlint.machine.library.computing import tensors
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import TRUE, Value


def filled_rows(machine: Machine, call: Invocation) -> Value | None:
    given = call.get("sequences")
    if given is None:
        return None
    items = containers.items_of(machine, given) or (containers.element(machine, given),)
    made = opaque(machine, call.name, *map(content, items))
    if made.cause is None or any(content(item).cause is None for item in items):
        return made  # one of them is of a length that all ranks know, and it may be the longest
    side = tensors.OWN_WIDTH if call.get("batch_first") == TRUE else tensors.OWN_ROWS
    made.symbol = machine.symbols.of(side, made.symbol)
    return made


MODELS: dict[str, Any] = {"filled_rows": filled_rows}
