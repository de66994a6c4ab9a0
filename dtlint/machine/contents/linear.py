"""What is left of two sums, added or subtracted: the length of `[start : start + share]` is `share` on every rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.lanes import token
from dtlint.machine.values import Const, Symbol, Unknown, Value

ONE = 1  # the key of the plain number in a sum
DEEP = 6

Sum = dict[Any, int]  # how often each unknown is in it


def difference(left: Value, right: Value) -> Value | None:
    """`left - right`, where all or all but one of their terms cancel out."""
    return what_is_left(left, right, -1)


def total(left: Value, right: Value) -> Value | None:
    """`left + right`, where all or all but one of their terms cancel out: `(last - turn) + (first + turn - last)`"""
    return what_is_left(left, right, 1)


def what_is_left(left: Value, right: Value, factor: int) -> Value | None:
    rest = combined(terms(token(left), DEEP), terms(token(right), DEEP), factor)
    if not rest:
        return Const(0)
    if rest.keys() == {ONE}:
        return Const(rest[ONE])
    if len(rest) == 1:
        ((what, count),) = rest.items()
        known = what if count == 1 and isinstance(what, Symbol) else None
    else:
        known = next(
            (one for side in (left, right) for one in sums(token(side), DEEP) if terms(one, DEEP) == rest), None
        )
    return Unknown(known, left.cause or right.cause, left.tags | right.tags) if known is not None else None


def sums(part: Any, depth: int) -> Iterator[Symbol]:
    """The sums of which this is made."""
    if isinstance(part, Symbol) and depth > 0 and part.key[0] in ("op +", "op -"):
        for inner in part.key[1:]:
            if isinstance(inner, Symbol):
                yield inner
                yield from sums(inner, depth - 1)


def apart(left: Value, right: Value) -> tuple[tuple[Any, int], ...]:
    """All that is left of `left - right`: the same on lanes where only what cancels out differs."""
    return tuple(combined(terms(token(left), DEEP), terms(token(right), DEEP), -1).items())


def terms(part: Any, depth: int) -> Sum:
    if type(part) is int:
        return {ONE: part} if part else {}
    if isinstance(part, Symbol) and depth > 0 and len(part.key) == 3:
        word, first, second = part.key
        if word == "op +":
            return combined(terms(first, depth - 1), terms(second, depth - 1), 1)
        if word == "op -":
            return combined(terms(first, depth - 1), terms(second, depth - 1), -1)
        if word == "op *" and (type(first) is int or type(second) is int):
            factor, other = (first, second) if type(first) is int else (second, first)
            return combined({}, terms(other, depth - 1), factor)
    return {part: 1}


def combined(one: Sum, other: Sum, factor: int) -> Sum:
    result = dict(one)
    for what, count in other.items():
        result[what] = result.get(what, 0) + factor * count
    return {what: count for what, count in result.items() if count}
