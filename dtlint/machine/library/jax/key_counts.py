"""How many keys are left of a split when some of them are taken away?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.jax.facts import fact, has, words
from dtlint.machine.values import NONE, Cause, Const, SliceValue, Tuple, Unknown, Value

CUT = "cut"  # some of the keys of a split, of which it is known how many


def is_cut(index: Value) -> bool:
    """`keys[start:stop]`: some of them, whoever knows how many."""
    first = index.items[0] if isinstance(index, Tuple) and index.items else index
    return isinstance(first, SliceValue) and (first.lower, first.upper) != (NONE, NONE)


def cut(machine: Machine, keys: Unknown, index: Value, cause: Cause | None) -> Unknown:
    """`keys[start:stop]`: how many these are, where the numbers are written down."""
    first = index.items[0] if isinstance(index, Tuple) and index.items else index
    assert isinstance(first, SliceValue)
    left_out = left_out_by(first.lower, first.upper)
    tags = fewer(keys.tags, left_out) if left_out is not None else counted_anew(keys)
    kind = CUT if left_out is not None else "column"
    return machine.unknown(kind, keys.symbol, token(index), cause=cause, tags=tags)


def left_out_by(lower: Value, upper: Value) -> int | None:
    """`keys[1:]`, `keys[:-1]`: by how many fewer these are, whatever their number is."""
    if isinstance(lower, Const) and upper == NONE and type(lower.value) is int and lower.value >= 0:
        return lower.value
    if isinstance(upper, Const) and lower in (NONE, Const(0)) and type(upper.value) is int and upper.value < 0:
        return -upper.value
    return None


def counted_anew(keys: Value) -> frozenset[Any]:
    known = words(keys.tags, "keys")
    return (keys.tags - set(known)) | {fact("keys", tag[2], "?", None, tag[5]) for tag in known}


def fewer(tags: frozenset[Any], taken: int) -> frozenset[Any]:
    """`key, *others = split(key, n)`: how many others there are."""
    known = words(tags, "keys")
    left = {
        fact("keys", tag[2], tag[3], tag[4] - taken, tag[5])
        if isinstance(tag[4], int)
        else fact("keys", tag[2], "?", None, tag[5])
        for tag in known
    }
    return (tags - set(known)) | left


def others(machine: Machine, keys: Value, taken: int, place: int) -> Value:
    """What a star collects when so many of the keys have names of their own."""
    kind = CUT if has(keys, "keys") else "rest"
    return machine.unknown(kind, place, token(keys), cause=keys.cause, tags=fewer(keys.tags, taken))


def bounds_cause(index: Value) -> Cause | None:
    """Why a host takes other keys than the next: `keys[start:stop]` with bounds of its own."""
    first = index.items[0] if isinstance(index, Tuple) and index.items else index
    ends = (first.lower, first.upper) if isinstance(first, SliceValue) else ()
    return next((end.cause for end in ends if end.cause is not None), None)
