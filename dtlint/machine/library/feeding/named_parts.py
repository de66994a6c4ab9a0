"""Does each rank look for its own name in what it chooses from: `[f for f in files if f.endswith(f"_{rank}.npy")]`?

Whoever has written a file for each rank has decided by that who reads which: neither the order of the names nor their
number divides anything.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.machine.contents.truth import APART
from dtlint.machine.values import Row, Symbol, Unknown, Value


def looked_for(question: Value) -> bool:
    """What the lanes ask differs in a text alone."""
    lanes = question.lanes if isinstance(question, Row) else (question,)
    symbols = [lane.symbol for lane in lanes if isinstance(lane, Unknown)]
    return len(symbols) == len(lanes) and told_by_text(symbols)


def told_by_text(symbols: list[Symbol]) -> bool:
    """What differs between these is a text; of one alone, that a text is looked for."""
    if len(symbols) == 1 and symbols[0].key[0] == APART:
        symbols = [part for part in symbols[0].key[1:] if isinstance(part, Symbol)]
    first, *others = symbols
    apart = [pair for other in others for pair in differing(first, other)]
    return all(isinstance(side, str) for pair in apart for side in pair) and (bool(apart) or looks_for_text(first))


def looks_for_text(symbol: Symbol) -> bool:
    """`f"rank_{rank}" in name`, `name.endswith(f"_{rank}.npy")`"""
    match symbol.key:
        case ("not", Symbol() as inner):
            return looks_for_text(inner)
        case ("compare in", str(), Symbol()):
            return True
        case ("call", Symbol(key=("attr", Symbol(), str())), *given):
            return bool(given) and all(isinstance(part, str) or is_own_text(part) for part in given)
    return False


def is_own_text(part: object) -> bool:
    """A text of each lane."""
    return isinstance(part, tuple) and len(set(part)) > 1 and all(isinstance(one, str) for one in part)


def differing(one: object, other: object) -> Iterator[tuple[object, object]]:
    """The innermost parts in which two questions differ."""
    if one is other or one == other:
        return
    if isinstance(one, Symbol) and isinstance(other, Symbol) and len(one.key) == len(other.key):
        for mine, theirs in zip(one.key, other.key, strict=True):
            yield from differing(mine, theirs)
    else:
        yield one, other
