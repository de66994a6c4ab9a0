"""What is the length of a learning rate schedule made of?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.values import Symbol
from dtlint.timeline.order import Met

MULTIPLIES = frozenset({"op *", "op +", "length", "len"})
DIVIDES = ("op //", "op /")
ROUNDED = ("math.ceil", "math.floor")


@dataclass(frozen=True, slots=True)
class Schedule:
    made: Met
    call: Any
    symbol: Symbol  # of its length
    lengths: frozenset[Any]  # the loaders and data sets whose length it is made of: numbers, or symbols
    parallel: bool  # the number of processes is part of it
    products: tuple[Symbol, ...] = ()  # of the numbers that it is told, those that are one times another


@dataclass(frozen=True, slots=True)
class WrongLength:
    met: Met
    message: str
    remedy: str
    why: str


def lengths(symbol: Symbol) -> Iterator[int | Symbol]:
    for one in symbols_in(symbol):
        if one.key[0] == "length" and isinstance(one.key[1], int):
            yield one.key[1]
        elif one.key[0] == "len" and isinstance(one.key[1], tuple) and one.key[1][0] == "object":
            yield one.key[1][1]
        elif one.key[0] == "len" and isinstance(one.key[1], Symbol):
            yield one.key[1]


def any_world(symbol: Symbol) -> bool:
    return any(is_world(part) for one in symbols_in(symbol) for part in one.key)


def is_world(part: Any) -> bool:
    return isinstance(part, tuple) and len(part) == 3 and part[2] == "world"


def longest(symbol: Symbol) -> Symbol:
    """Of `total - warmup`, `total - int(0.1 * total)` and `total // 2`: the total."""
    word, *sides = symbol.key
    if word not in ("op -", *DIVIDES) or not isinstance(sides[0], Symbol):
        return symbol
    own_part = word == "op -" and isinstance(sides[1], Symbol) and sides[0] in symbols_in(sides[1])
    return longest(sides[0]) if own_part or not counts(sides[1]) else symbol


def counts(part: Any) -> bool:
    """Does it hang on how many processes or batches there are?"""
    return is_world(part) or (isinstance(part, Symbol) and (any_world(part) or any(lengths(part))))


def factors(part: Any) -> list[Any]:
    if not isinstance(part, Symbol) or part.key[0] != "op *":
        return [part]
    return [one for side in part.key[1:] for one in factors(side)]


def multiplies_only(symbol: Symbol) -> bool:
    kind, *parts = symbol.key
    if kind in SETTINGS and not any(lengths(symbol)):
        return True
    whole = rounded_down(symbol)
    inner = [whole] if whole is not None else [part for part in parts if isinstance(part, Symbol)]
    return all(multiplies_only(part) for part in inner) if whole is not None or kind in MULTIPLIES else not inner


def rounded_down(symbol: Symbol) -> Symbol | None:
    """`len(loader)` of `len(loader) // window * window` and `len(loader) - len(loader) % window`: as many, but for the
    rest."""
    kind, *sides = symbol.key
    if kind == "op -" and isinstance(sides[0], Symbol) and isinstance(sides[1], Symbol):
        return sides[0] if sides[1].key[:2] == ("op %", sides[0]) else None
    for divided, factor in (sides, sides[::-1]) if kind == "op *" and len(sides) == 2 else ():
        if isinstance(divided, Symbol) and divided.key[0] == "op //" and divided.key[2] == factor:
            return divided.key[1] if isinstance(divided.key[1], Symbol) else None
    return None


SETTINGS = ("attr", "item")  # `options.epochs`, `config["epochs"]`


def counts_windows(symbol: Symbol, of: Any) -> bool:
    """`epochs * math.ceil(len(loader) / accumulate)`: what steps once per window, and nothing else is in it."""
    key = symbol.key
    if key[0] == "op *":
        sides = [part for part in key[1:] if isinstance(part, Symbol) and any(lengths(part))]
        return len(sides) == 1 and counts_windows(sides[0], of)
    if key[0] in ROUNDED:
        return isinstance(key[1], Symbol) and counts_windows(key[1], of)
    return key[0] in DIVIDES and key[2] == of and isinstance(key[1], Symbol) and multiplies_only(key[1])


def quotient(part: Any) -> Iterator[tuple[Any, int]]:
    """What is multiplied in a number, with 1, and what it is divided by, with -1; rounding aside."""
    kind, *sides = part.key if isinstance(part, Symbol) else ("", part)
    if kind == "op *":
        for side in sides:
            yield from quotient(side)
    elif kind in DIVIDES:
        yield from quotient(sides[0])
        yield from ((factor, -power) for factor, power in quotient(sides[1]))
    elif kind in ROUNDED:
        yield from quotient(sides[0])
    else:
        yield part, 1
