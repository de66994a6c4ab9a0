"""What is known of the parts of a batch, where the data set was made of tensors that stand side by side?"""

from __future__ import annotations

from itertools import count

from dtlint.machine.core import Machine
from dtlint.machine.library.computing import elements, tensors
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import Object, Unknown, Value

DEEPEST = 3  # data sets inside of data sets


def note_truths(machine: Machine, loader: Object, batch: Unknown) -> None:
    """`for rows, mask in loader`, of `TensorDataset(rows, rows > 0)`: the second part is made of truths as well."""
    call = loader.facts.get("call")
    held = call.get("dataset") if isinstance(call, Invocation) else None
    for _ in range(DEEPEST):
        if isinstance(held, Object) and "tensor 0" not in held.attributes:
            held = held.attributes.get("dataset")
    for place in count():
        column = held.attributes.get(f"tensor {place}") if isinstance(held, Object) else None
        if column is None:
            return
        if of_truths(column):
            machine.symbols.of("item", batch.symbol, place).numbers = "bool"


def of_truths(column: Value) -> bool:
    if isinstance(column, Unknown):
        return tensors.is_question(column.symbol)
    return bool(elements.known(column, elements.TYPE) == "bool")
