"""What was an unknown value computed from, and what would a predicate be for given numbers?

Symbols remember their computation: `(step + 1) % n == 0` is `compare ==` of `op %` of `op +` …. That is enough to try a
predicate on small numbers, which decides whether two of them ever hold in the same turn.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any

from dtlint.machine.library.computing.provenance import parts, symbols_in
from dtlint.machine.values import CONTAINERS, Object, Symbol, Tuple, Unknown, Value

FAR = 1_000_003  # stands for lengths and other numbers that small turns never reach
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "op +": operator.add,
    "op -": operator.sub,
    "op *": operator.mul,
    "op //": operator.floordiv,
    "op %": operator.mod,
    "compare ==": operator.eq,
    "compare !=": operator.ne,
    "compare <": operator.lt,
    "compare <=": operator.le,
    "compare >": operator.gt,
    "compare >=": operator.ge,
}


def constant(part: Any) -> Any:
    """The constant a token stands for, or None."""
    if isinstance(part, int | float):
        return part
    if isinstance(part, tuple) and len(part) in (2, 3) and part[0] in ("int", "bool", "float"):
        try:
            return ast.literal_eval(part[1])
        except (ValueError, SyntaxError):
            return None
    return None


def objects_in(value: Value, depth: int = 4) -> set[int]:
    """Numbers of the objects an unknown value was computed from, and of those that lists and dicts hold."""
    found: set[int] = set()
    if isinstance(value, Object):
        found.add(value.number)
        held = tuple(value.attributes.values()) if value.kind in CONTAINERS else ()
        for one in held if depth else ():
            found |= objects_in(one, depth - 1)
    elif isinstance(value, Tuple) and depth:
        for one in value.items[:16]:
            found |= objects_in(one, depth - 1)
    if isinstance(value, Unknown):
        for symbol in symbols_in(value.symbol):
            found.update(numbers(symbol.key))
    return found


PARAMETERS = ("parameters", "named_parameters")


def parameters_of(value: Value, model: Value) -> bool:
    """Are these the model's? It may be one that an unknown library made."""
    if isinstance(model, Object):
        return model.number in objects_in(value)
    if not isinstance(model, Unknown):
        return False
    return any(
        one.key[0] == "attr" and one.key[1] is model.symbol and one.key[2] in PARAMETERS
        for part in parts(value)
        if isinstance(part, Unknown)
        for one in symbols_in(part.symbol)
    )


def numbers(key: tuple[Any, ...]) -> Iterator[int]:
    for part in key:
        if isinstance(part, tuple):
            if len(part) == 2 and part[0] == "object" and isinstance(part[1], int):
                yield part[1]
            else:
                yield from numbers(part)


LENGTHS = ("len", "length", "builtins.len")


def periodic(symbol: Symbol | None) -> bool:
    """Does the predicate contain a remainder, other than of a length, which is the same in every turn?"""
    return symbol is not None and any(one.key[0] == "op %" and not is_length(one.key[1]) for one in symbols_in(symbol))


WRAPS = {"compare ==": True, "compare >=": True, "compare <": False, "compare !=": False}


def in_windows(symbol: Symbol | None) -> Symbol | None:
    """`filled + 1 == size` of a counter that a turn sets back to zero asks the same as `(filled + 1) % size == 0`."""
    if symbol is None or not any(one.set_back for one in symbols_in(symbol)):
        return symbol
    word, *sides = symbol.key
    if word in ("not", "bool", "and", "or"):
        inner = [in_windows(side) if isinstance(side, Symbol) else side for side in sides]
        return symbol if inner == sides else Symbol((word, *inner), symbol.depth)
    if word not in WRAPS or not counted(sides[0]):
        return symbol
    filled, size = sides
    if isinstance(size, Symbol) and size.key[0] == "op -" and size.key[2] == 1:
        filled, size = Symbol(("op +", filled, 1), symbol.depth), size.key[1]
    if size in (0, 1) or counted(size):
        return symbol
    full = Symbol(("compare ==", Symbol(("op %", filled, size), symbol.depth), 0), symbol.depth)
    return full if WRAPS[word] else Symbol(("not", full), symbol.depth)


def counted(part: Any) -> bool:
    """Such a counter, or what is added to it."""
    if not isinstance(part, Symbol):
        return False
    added = part.key[0] == "op +" and isinstance(part.key[1], Symbol) and part.key[1].set_back
    return part.set_back or (added and constant(part.key[2]) is not None)


def is_length(part: Any) -> bool:
    return isinstance(part, Symbol) and part.key[0] in LENGTHS


def moduli(symbol: Symbol) -> list[Any]:
    """What is divided by: tokens of constants, or symbols."""
    return [one.key[2] for one in symbols_in(symbol) if one.key[0] == "op %" and len(one.key) == 3]


def leaves(symbol: Symbol) -> tuple[set[Symbol], set[Symbol], set[Symbol]]:
    """Unknown numbers of a predicate: counters (left of a remainder), moduli (right of it), and the others."""
    counters: set[Symbol] = set()
    divisors: set[Symbol] = set()
    others: set[Symbol] = set()

    def visit(part: Any, side: str) -> None:
        if not isinstance(part, Symbol):
            return
        key = part.key
        if key[0] == "op %" and len(key) == 3:
            visit(key[1], "left")
            visit(key[2], "right")
        elif key[0] in OPERATORS or key[0] in ("and", "or", "not", "bool"):
            for inner in key[1:]:
                visit(inner, side)
        else:
            {"left": counters, "right": divisors}.get(side, others).add(part)

    visit(symbol, "")
    return counters, divisors, others


def worth(part: Any, known: dict[Symbol, int]) -> Any:
    """The predicate's value with these numbers, None where it cannot be computed."""
    if not isinstance(part, Symbol):
        return constant(part)
    if part in known:
        return known[part]
    key = part.key
    if key[0] in OPERATORS and len(key) == 3:
        left, right = worth(key[1], known), worth(key[2], known)
        if left is None or right is None:
            return None
        try:
            return OPERATORS[key[0]](left, right)
        except (ArithmeticError, TypeError):
            return None
    if key[0] in ("not", "bool") and len(key) == 2:
        inner = worth(key[1], known)
        return None if inner is None else bool(inner) == (key[0] == "bool")
    if key[0] == "phi" and len(key) == 4:  # what a branch left behind: the decision, and the value of each side
        taken = worth(key[1], known)
        return None if taken is None else worth(key[2] if taken else key[3], known)
    if key[0] in ("and", "or") and len(key) == 3:
        left, right = worth(key[1], known), worth(key[2], known)
        deciding = key[0] == "or"
        if any(side is not None and bool(side) is deciding for side in (left, right)):
            return deciding
        return None if left is None or right is None else not deciding
    return None


def both_hold(first: list[tuple[Symbol, bool]], second: list[tuple[Symbol, bool]]) -> bool | None:
    """Is there a turn in which both lists of predicates hold, each as wanted? None when nobody can compute it."""
    counters: set[Symbol] = set()
    divisors: set[Symbol] = set()
    others: set[Symbol] = set()
    for symbol, _ in (*first, *second):
        for target, found in zip((counters, divisors, others), leaves(symbol), strict=True):
            target |= found
    if len(counters) != 1 or len(divisors) > 1:
        return None
    others -= counters | divisors
    counter = next(iter(counters))
    both = [symbol for symbol, _ in (*first, *second)]
    starts_again = any(is_bounded(symbol, counter, divisors) for symbol in both)
    bounds = [part for symbol in both for part in moduli(symbol)] if starts_again else []
    computed = False
    answers = dict(pair for symbol, wanted in (*second, *first) for pair in settled(symbol, wanted))
    for modulus in (2, 3, 4):
        known = {one: FAR + 7 * index for index, one in enumerate(others)}
        known.update((one, answer) for one, answer in answers.items() if one in others)
        known.update(dict.fromkeys(divisors, modulus))
        for turn in range(min([worth(bound, known) or 12 for bound in bounds], default=12)):
            known[counter] = turn
            values = [(worth(symbol, known), wanted) for symbol, wanted in (*first, *second)]
            if any(value is None for value, _ in values):
                return None
            computed = True
            if all(bool(value) is wanted for value, wanted in values):
                return True
    return False if computed else None


def settled(symbol: Symbol, wanted: bool) -> Iterator[tuple[Symbol, bool]]:
    """What a predicate takes for true or false and is no number, as it has to be for the predicate to hold: of
    `optimizer is not None and turn % n == 0`, that it is not None."""
    word, *parts = symbol.key
    if word in ("and", "or", "not", "bool"):
        for part in parts:
            if isinstance(part, Symbol):
                yield from settled(part, wanted is not (word == "not"))
    elif word not in OPERATORS:
        yield symbol, wanted


def is_bounded(symbol: Symbol, counter: Symbol, divisors: set[Symbol]) -> bool:
    """`filled == size - 1`: only of a counter that starts again at `size` one asks this."""
    for one in symbols_in(symbol):
        if not str(one.key[0]).startswith("compare") or counter not in one.key[1:3]:
            continue
        other = one.key[1] if one.key[2] is counter else one.key[2]
        parts = set[Symbol]().union(*leaves(other)) if isinstance(other, Symbol) else set()
        number = constant(other)
        if (parts and parts <= divisors) or (number is not None and number > 1):
            return True
    return False


def denominators(held: Symbol) -> list[Any]:
    """What stands below the line of a quotient, or of each one of several that are put into a tensor together."""
    quotients = held.key[1:] if held.key[0] == "tensor" else (held,)
    found = [one.key[2] for one in quotients if isinstance(one, Symbol) and one.key[0] == "op /"]
    return found if len(found) == len(quotients) else []


def what_counts(part: Any) -> Any:
    """The variable that a loop adds up in, however much is known of what it adds: inside of other things the deepest
    parts are left out."""
    return part.key[:3] if isinstance(part, Symbol) and part.key[0] == "loop" else part
