"""Samples that a program picks itself: `tokens[start : start + n]` with a `start` from a generator.

A number drawn from a generator that was seeded alike on all ranks carries the mark `("pick", number)`; what it takes
out of stored data carries `("picked", number)` up to the loss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dtlint.machine.core import Machine
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import Object, SliceValue, Symbol, Tuple, Unknown, Value

if TYPE_CHECKING:
    from dtlint.machine.library.drawing.seeds import State

PICK, PICKED = "pick", "picked"
TENSOR = "torch.Tensor"


def drawn(machine: Machine, made: Value, state: State) -> Value:
    """What a draw gives, marked where all ranks get the same."""
    if state.verdict != "same" or state.site is None:
        return made
    known = machine.facts.setdefault("picks", {})
    place = (machine.frame.path, machine.current_at, machine.frame.scope)
    mark = (PICK, known.setdefault((place, state), len(known)))
    if isinstance(made, Object) and made.kind == TENSOR:
        held = made.attributes.get("content") or machine.fresh("drawn")
        if isinstance(held, Unknown):
            made.attributes["content"] = provenance.marked(held, mark)
        return made
    return provenance.marked(made, mark) if isinstance(made, Unknown) else made


def taken(machine: Machine, base: Value, index: Value, result: Value) -> Value:
    """`data[index]`"""
    marks = marks_in(index)
    if not marks or not isinstance(result, Unknown) or index.cause is not None or not stored(machine, base):
        return result
    return provenance.marked(result, *((PICKED, mark[1]) for mark in marks))


def marks_in(index: Value) -> list[Any]:
    held: tuple[Value, ...] = (index,)
    if isinstance(index, SliceValue):
        held = (index.lower, index.upper)
    elif isinstance(index, Tuple):
        held = index.items
    elif isinstance(index, Object):
        held = tuple(index.attributes.values()) if index.kind in (TENSOR, "list") else ()
    return [tag for one in held for tag in one.tags if type(tag) is tuple and tag[0] == PICK]


def stored(machine: Machine, base: Value) -> bool:
    """Was it read from a file, the same on all ranks?"""
    if base.cause is not None or any(provenance.marks(base, "shard", 1)):
        return False
    if isinstance(base, Object):
        made, opened = base.facts.get("call"), base.facts.get("opened")
        if opened is not None:
            name = base.facts.get("text")
            own = name is not None and (name.cause is not None or any(provenance.marks(name, "shard", 1)))
            return bool(opened.op == "file-read") and not own  # a file of this rank's has other samples
        return isinstance(made, Invocation) and bool(made.row.extra.get("stored"))

    def read(symbol: Symbol) -> bool:
        row = machine.knowledge.apis.get(symbol.key[0]) if isinstance(symbol.key[0], str) else None
        return row is not None and bool(row.extra.get("stored"))

    return provenance.mentions(base, read, 1)
