"""Samples that a program picks itself: `tokens[start : start + n]` with a `start` from a generator.

A number drawn from a generator that was seeded alike on all ranks carries the mark `("pick", number)`; what it takes
out of stored data carries `("picked", number)` up to the loss. So does a window that moves on over stored data from the
same place on all ranks, `tokens[position : position + n]`, as `("window", …)` with its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dtlint.machine.core import Machine
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.computing.devices import LOADED
from dtlint.machine.library.feeding import sharding
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python.own_order import TEXT
from dtlint.machine.logs import Loop
from dtlint.machine.names.assignment import MOVED_ON
from dtlint.machine.values import Object, SliceValue, Symbol, Tuple, Unknown, Value

if TYPE_CHECKING:
    from dtlint.machine.library.drawing.seeds import State

PICK, PICKED, WINDOW = "pick", "picked", "window"
MOVED = ("loop", "number")  # symbols: what a turn of a loop has left, the number of a turn
TENSOR = "torch.Tensor"
READ = TEXT - {"text"} | {LOADED}  # symbols of what came out of a file


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
    if not isinstance(result, Unknown) or index.cause is not None:
        return result
    marks = marks_in(index)
    low = None if marks or provenance.has_mark(base, "order", 1) else start_of_window(index)
    if not (marks or low) or not stored(machine, base):
        return result
    window = ((*sharding.remember(machine, WINDOW), low, is_resumed(machine)),) if low is not None else ()
    return provenance.marked(result, *window, *((PICKED, mark[1]) for mark in marks))


def start_of_window(index: Value) -> Symbol | None:
    """`position : position + size`, `number * size : (number + 1) * size`"""
    low, high = (index.lower, index.upper) if isinstance(index, SliceValue) else (None, None)
    if not isinstance(low, Unknown) or not isinstance(high, Unknown):
        return None
    inside = set(provenance.symbols_in(high.symbol))
    moved = [one for one in provenance.symbols_in(low.symbol) if one.key[0] in MOVED]
    return low.symbol if low.symbol in inside or (moved and inside.issuperset(moved)) else None


def is_resumed(machine: Machine) -> bool:
    """Does a generator take it, which goes on counting where it left off?"""
    node = machine.frame.function.node if machine.frame.function is not None else None
    return bool(getattr(node, "is_generator", False))


def moves_on(facts: dict[str, Any], low: Symbol, resumed: bool, loop: Loop) -> bool:
    """Has each turn of this loop another position? What is counted anew in every turn of it cuts a batch into pieces,
    and comes to all of them."""
    moved = [one for one in provenance.symbols_in(low) if one.key[0] in MOVED]
    anew = [one for one in moved if one.key[0] == "number" and type(one.key[1]) is int and one.key[1] > loop.objects]
    return low in facts.get(MOVED_ON, ()) or len(anew) < len(moved) or (resumed and bool(moved))


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
    content = base.attributes.get("content") if isinstance(base, Object) and base.kind == TENSOR else None
    if content is not None:
        return stored(machine, content)  # `torch.tensor(numpy.load(name))`
    if isinstance(base, Object):
        made, opened = base.facts.get("call"), base.facts.get("opened")
        if opened is not None:
            name = base.facts.get("text")
            own = name is not None and (name.cause is not None or any(provenance.marks(name, "shard", 1)))
            return bool(opened.op == "file-read") and not own  # a file of this rank's has other samples
        return isinstance(made, Invocation) and bool(made.row.extra.get("stored"))

    def read(symbol: Symbol) -> bool:
        row = machine.knowledge.apis.get(symbol.key[0]) if isinstance(symbol.key[0], str) else None
        return (row is not None and bool(row.extra.get("stored"))) or symbol.key[0] in READ

    return provenance.mentions(base, read, 1)
