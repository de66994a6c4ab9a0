"""Does a whole batch of a loader, as it came, have to be a multiple of something?"""

from __future__ import annotations

from typing import Any

from dtlint.machine import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library import provenance
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import Const, Object, Tuple, Unknown, Value

HOLDERS = ("list", "dict", "set")
# what leaves the size of a batch as it is
SIZE_KEPT = frozenset(
    {
        "item",
        "attr",
        "batch",
        "numpy.asarray",
        "numpy.array",
        "jax.numpy.asarray",
        "jax.numpy.array",
        "numpy",
        "astype",
        "to",
    }
    | {"float", "any", "call", "Tensor.numpy", "jax.device_put", "torch.as_tensor", "leaf"}
)


def over_devices(machine: Machine, batch: Value, call: Invocation) -> tuple[Any, ...] | None:
    """`batch.reshape(device_count, -1, …)`: a whole batch has to be a multiple of this number (as a token)."""
    sizes = containers.items_of(machine, call.arguments[0]) if call.arguments else None
    first = sizes[0] if sizes else call.arguments[0] if call.arguments else None
    count: Any = token(first) if isinstance(first, Const) else None
    if isinstance(first, Unknown) and first.symbol.key[0] == "op +":  # (count, -1) + x.shape[1:]
        count = first.symbol.key[1]
        if isinstance(count, tuple) and count and isinstance(count[0], tuple):
            count = count[0]
    of_devices = isinstance(count, tuple) and count[-1] in ("local", "world") and unpadded(batch)
    return count if of_devices else None


def into_shape(machine: Machine, batch: Value, call: Invocation) -> tuple[Any, ...]:
    """`batch.reshape(shape + (length,))`: what may be the size of a whole batch, in dimensions (as tokens), where none
    is left open."""
    first = call.arguments[0] if len(call.arguments) == 1 and unpadded(batch) else None
    if isinstance(first, Tuple):
        open_ones = [one for one in first.items if isinstance(one, Const) and one.value == -1]
        return () if open_ones else tuple(token(Tuple(first.items[:count])) for count in range(1, len(first.items)))
    if isinstance(first, Unknown) and first.symbol.key[0] == "op +":
        size, rest = first.symbol.key[1:3]
        return () if leaves_open(rest) else (size,)
    return ()


def leaves_open(shape: Any) -> bool:
    """A dimension of -1, in a shape as a token."""
    return shape == -1 or (isinstance(shape, tuple) and any(leaves_open(part) for part in shape))


def into_buffer(machine: Machine, buffer: Object, call: Invocation) -> None:
    """`buffer.copy_(batch)`: the buffer was made for batches of one size."""
    size, batch = buffer.facts.get("length"), call.arguments[0]
    if isinstance(size, Value) and unpadded(batch):
        machine.emit_event("record", "fixed-size", call.name, call.mask, subject=batch, extra={"size": size})


def unpadded(batch: Value | None) -> bool:
    """Is this a batch just as the loader gave it?"""
    if isinstance(batch, Object) and batch.kind in HOLDERS:
        batch = next((one for one in batch.attributes.values() if provenance.has_mark(one, "loader", 1)), None)
    if not isinstance(batch, Unknown) or not provenance.has_mark(batch, "loader", 1):
        return False
    return all(
        symbol.key[0] in SIZE_KEPT or symbol.key[0] in ("turn", "items", "loop")
        for symbol in provenance.symbols_in(batch.symbol)
    )
