"""Which of some functions or things of the program does a rank take, that asks for one by a value of its own?

`{"save": save, "wait": wait}[word_of(batch)]`, `getattr(job, "save" if due() else "wait")`: it is this one where the
value is this key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.joining import is_made, join
from dtlint.machine.lanes import token
from dtlint.machine.values import Const, Symbol, Unknown, Value

MOST = 4


def one_of(machine: Machine, index: Value, held: dict[Any, Value]) -> Value | None:
    """With the question whether it is this key for each but the last."""
    if not isinstance(index, Unknown) or index.cause is None or not 1 < len(held) <= MOST:
        return None
    if not all(is_made(value, machine.symbols) for value in held.values()):
        return None
    *first, (_, found) = held.items()
    for key, value in reversed(first):
        found = join(value, found, machine.symbols, is_this(machine, index, key), index.cause)
    return found


def is_this(machine: Machine, index: Unknown, key: Any) -> Symbol:
    """The question whether the value is this key."""
    return machine.symbols.of("compare ==", index.symbol, token(Const(key)))


def by_name(machine: Machine, name: Value, read: Callable[[Const], Value]) -> Value | None:
    """A name that is one of two."""
    sides = list(texts_of(name)) if isinstance(name, Unknown) and name.cause is not None else []
    return one_of(machine, name, {text: read(Const(text)) for text in sides}) if len(sides) > 1 else None


def texts_of(name: Unknown) -> Iterator[str]:
    if name.symbol.key[0] in ("split", "phi") and isinstance(name.symbol.key[1], Symbol):
        yield from (side for side in name.symbol.key[2:] if isinstance(side, str))
