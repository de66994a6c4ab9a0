"""Which mean over a part of the samples that was cut by hand does one rank tell?

`mine = rows[rank::world]`, a count of what was right in it, and `print(right / len(mine))` on rank 0: there is no
loader whose batches could be marked. What the items give carries the mark of the cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.computing import marks, provenance
from dtlint.machine.library.computing.tensors import method_of
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import Const, Object, Symbol, Tuple, Unknown, Value

SHARD = "shard"
SHOWN = "share-shown"  # event
OWN_WORDS = re.compile(r"\b(?:rank|ranks|shard|local|worker|host|process|node|gpu|mine|own)\b", re.IGNORECASE)


def shown(machine: Machine, call: Invocation) -> None:
    """One rank alone tells the mean of its own part, and does not say so."""
    if call.mask & (call.mask - 1) and not call.row.extra.get("self_guarded"):
        return
    values = [one for value in call.values for one in held_in(value)]
    if any(map(says_whose, values)):
        return
    parts = [value for value in values if isinstance(value, Unknown) and of_a_part(value)]
    told = [value for value in parts if any(True for _ in totals_in(value.symbol))]
    if told and not any(is_running(machine, total) for value in told for total in totals_in(value.symbol)):
        cuts = frozenset(tag for tag in marks.deep_tags(tuple(told)) if isinstance(tag, tuple) and tag[0] == SHARD)
        extra = {"call": call, "cuts": cuts, "value": told[0]}
        machine.emit_event("record", SHOWN, call.name, call.mask, extra=extra)


def held_in(value: Value) -> Iterator[Value]:
    """`log({"accuracy": right / total})`"""
    yield value
    if isinstance(value, Tuple):
        yield from value.items
    elif isinstance(value, Object) and value.kind in ("dict", "list"):
        for name, held in value.attributes.items():
            yield from (Const(name[1]), held) if isinstance(name, tuple) and len(name) == 2 else (held,)


def of_a_part(value: Unknown) -> bool:
    if value.cause is not None:
        return value.cause.kind == SHARD
    return bool(provenance.marks(value, SHARD, 0))


def says_whose(value: Value) -> bool:
    """`print(f"rank {rank}: …")`, `print("of my shard", …)`"""
    if isinstance(value, Const):
        return isinstance(value.value, str) and OWN_WORDS.search(value.value) is not None
    if isinstance(value, Unknown):
        return any(isinstance(part, str) and OWN_WORDS.search(part) for part in texts_in(value.symbol.key))
    return False


def texts_in(key: Any) -> list[Any]:
    """What is written around the values of an f-string."""
    if not isinstance(key, tuple) or not key or key[0] != "text":
        return []
    return [piece for part in key[1:] for piece in (part if isinstance(part, tuple) else (part,))]


def totals_in(symbol: Symbol) -> Iterator[Symbol]:
    """Sums over the items that are divided by something, whatever that is rounded to or put between."""
    for one in provenance.symbols_in(symbol):
        if one.key[0] == "op /" and len(one.key) > 1 and isinstance(one.key[1], Symbol) and is_total(one.key[1]):
            yield one.key[1]


def is_total(symbol: Symbol) -> bool:
    """What a loop has added up, or `sum(…)`; the length of a list is none."""
    if symbol.key[0] == "op *":  # `100 * right / total`
        return any(isinstance(part, Symbol) and is_total(part) for part in symbol.key[1:])
    added = symbol.key[0] == "op +" and any(isinstance(part, Symbol) and part.key[0] == "loop" for part in symbol.key)
    return added or symbol.key[0] in ("loop", "builtins.sum") or is_sum(symbol)


def is_sum(part: Any) -> bool:
    """`mask.sum()`, `mask.sum().item()`: it counts what the data hold, not how many rows there are."""
    while isinstance(part, Symbol) and (method := method_of(part)) is not None:
        part, name = method
        if name in ("sum", "count_nonzero"):
            return True
    return False


def is_running(machine: Machine, total: Symbol) -> bool:
    """Is the loop that adds it up still going on? The model that gave the answers may come from one that is."""
    running = set()
    frame: Frame | None = machine.frame
    while frame is not None:
        running |= {state.number for state in frame.loops}
        frame = frame.caller
    return any(number in running for number in loops_of(total))


def loops_of(total: Symbol) -> Iterator[Any]:
    if total.key[0] == "loop" and len(total.key) > 1:
        yield total.key[1]
    elif total.key[0] in ("op +", "op *"):
        yield from (number for part in total.key[1:] if isinstance(part, Symbol) for number in loops_of(part))
