"""How many items are there, and is that a multiple of the ranks?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dtlint.machine import library
from dtlint.machine.contents.opaque import deep_cause
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.feeding.multiples import Fits, answered, counts_rows, has_to_fit, is_multiple, told_to_fit
from dtlint.machine.logs import plain_question
from dtlint.machine.values import (
    NONE,
    UNEVEN,
    Const,
    Object,
    Row,
    Symbol,
    Unknown,
    Value,
)

EVEN = "even"
EVEN_COUNTS = "even counts"  # fact of the run: symbols of what holds a multiple of the ranks
FILLED_UP = "filled up"  # symbol: a list and what was missing to a multiple of the ranks
SIZES = ("world", "group", "local", "nodes")


def numbers(value: Value) -> tuple[int, ...] | None:
    if isinstance(value, Row) and all(isinstance(held, Const) and isinstance(held.value, int) for held in value.lanes):
        return tuple(held.value for held in value.lanes)  # type: ignore[attr-defined]
    return None


def total_of(machine: Machine, value: Value, shares: int | None = None) -> int | str | None:
    """The length: a number, "even" for a multiple of the number of shares (of the world size), or None."""
    shares = shares or machine.world.size
    known = library.reading.length(machine, value, machine.world.full)
    if isinstance(known, Const) and isinstance(known.value, int):
        return known.value
    if isinstance(known, Unknown) and known.symbol.key[:2] == ("count", 0) and known.symbol.key[3] == 1:
        # `range(len(items) // world * world)`
        return multiple(known.symbol.key[2], shares, told_to_fit(machine))
    if isinstance(known, Unknown) and multiple(known.symbol, shares, told_to_fit(machine)) == EVEN:
        return EVEN  # `torch.arange(len(items) // world * world)`
    if has_to_fit(machine, value, shares):
        return EVEN
    if isinstance(value, Object):
        held = value.attributes.get("[]")
        if isinstance(held, Unknown):
            return total_of_symbol(machine, held.symbol, shares)
    return total_of_symbol(machine, value.symbol, shares) if isinstance(value, Unknown) else None


def as_many(machine: Machine, made: Symbol, source: Value) -> None:
    """`list(range(even))`, `[name(number) for number in range(512)]`: one for each there is."""
    total = total_of(machine, source)
    written = isinstance(total, int) and total % machine.world.size == 0 and deep_cause(machine, (source,)) is None
    if total == EVEN or written:
        machine.facts.setdefault(EVEN_COUNTS, set()).add(made)


def total_of_symbol(machine: Machine, symbol: Symbol, world: int) -> int | str | None:
    from dtlint.machine.library.computing import tensors

    key = symbol.key
    if symbol in machine.facts.get(EVEN_COUNTS, ()):
        return EVEN
    if (number := tensors.pieces(symbol)) is not None:
        return multiple(number, world)
    if key[0] == "slice" and len(key) == 5:
        _, _, lower, upper, step = key
        if lower in (token(NONE), 0) and step == token(NONE):
            # where to cut was computed, and how is not known any more: maybe at a multiple
            return EVEN if isinstance(upper, Symbol) and is_lost(upper) else multiple(upper, world)
        return None
    if key[0] in tensors.AS_ARRAY and isinstance(key[1], Symbol):
        return total_of_symbol(machine, key[1], world)
    if key[0] in ("list", "sorted") and len(key) in (2, 3) and isinstance(key[-1], Symbol):
        return total_of_symbol(machine, key[-1], world)
    if key[0] == "for each" and isinstance(key[1], Symbol):
        return total_of_symbol(machine, key[1], world)
    if key[0] in ("attr", "call", "drawn", "sample") and isinstance(key[1], Symbol):
        # `frame[:even].iloc`, `frame[:even].sample(frac=1)`: as many rows, as far as anybody knows
        return total_of_symbol(machine, key[1], world)
    parts = key[1] if len(key) > 1 and isinstance(key[1], tuple) else key[1:] if key[0] == "op +" else ()
    if any(is_rest(part, world) for part in parts):
        return EVEN
    if key[0] == "phi" and all(fits_on_its_side(machine, side, key, world) for side in key[2:]):
        return EVEN
    if any(one.key[0] == FILLED_UP for one in provenance.symbols_in(symbol)):
        return EVEN
    return None


def fits_on_its_side(machine: Machine, side: Any, choice: tuple[Any, ...], world: int) -> bool:
    """`if len(order) % world: order = filled_up(order)`: on the other side it is a multiple as it is."""
    if not isinstance(side, Symbol):
        return False
    question, _ = plain_question(choice[1])
    asked = question.key if question is not None and question.key[0] == "op %" else ()
    told = bool(asked) and isinstance(asked[1], Symbol) and counts_rows(asked[1], side) and is_multiple(asked[2], world)
    return told or total_of_symbol(machine, side, world) == EVEN


def seen_to(machine: Machine, question: Symbol | None, written: Iterable[Value]) -> None:
    """`if len(rows) % world: rows = filled_up(rows)`: behind it there are as many as fit, whichever side was taken."""
    asked, _ = plain_question(question)
    if asked is None or not any(one.key[0] == "op %" for one in (asked, *asked.key[1:]) if isinstance(one, Symbol)):
        return
    if any(total_of(machine, value) == EVEN for value in written):
        for answer in (True, False):
            answered(machine, question, answer)


def multiple(of: Any, world: int, fits: Fits = frozenset()) -> int | str | None:
    """A number, or "even" when the computation shows a multiple of the world size, or the program goes on only where
    it is one."""
    number = provenance.number_in(of)
    if number is not None:
        return number
    if not isinstance(of, Symbol):
        return None
    key = of.key
    if any(counted is of and is_multiple(count, world) for counted, count in fits):
        return EVEN
    if key[0] == "op -" and isinstance(key[2], Symbol) and key[2].key[0] == "op %" and key[2].key[1] == key[1]:
        return EVEN if is_multiple(key[2].key[2], world) else None
    return EVEN if is_multiple(of, world) else None


def equally_often(start: Value, stop: Value, step: Value) -> bool:
    """`range(rank * size, total - total % (world * size), world * size)`: every rank starts within the first step of
    a number of whole steps."""
    if not isinstance(start, Row) or stop.cause is not None or step.cause is not None:
        return False
    if not isinstance(stop, Unknown):
        return False  # numbers are counted
    width = factors(token(step))
    if not all(within(factors(token(held)), width) for held in start.lanes):
        return False
    key = stop.symbol.key
    if key[0] == "op -" and isinstance(key[2], Symbol) and key[2].key[0] == "op %" and key[2].key[1] == key[1]:
        return factors(key[2].key[2]) == width
    return divides(width, factors(stop.symbol))


Factors = tuple[int, list[Any]]  # what a product is made of: a number, and whatever has no number


def factors(of: Any) -> Factors:
    number = provenance.number_in(of)
    if number is not None:
        return number, []
    if not isinstance(of, Symbol) or of.key[0] != "op *":
        return 1, [of]
    one, other = factors(of.key[1]), factors(of.key[2])
    return one[0] * other[0], sorted([*one[1], *other[1]], key=id)


def within(start: Factors, step: Factors) -> bool:
    return start[0] == 0 or (start[1] == step[1] and 0 < start[0] < step[0])


def divides(part: Factors, whole: Factors) -> bool:
    rest = list(whole[1])
    for one in part[1]:
        if one not in rest:
            return False
        rest.remove(one)
    return part[0] != 0 and whole[0] % part[0] == 0


def fills_up(machine: Machine, added: Value) -> bool:
    """Were as many items added as were missing to a multiple of the world size? `files[: -len(files) % world]`"""
    held = added.attributes.get("[]") if isinstance(added, Object) else added
    return isinstance(held, Unknown) and is_rest(held.symbol, machine.world.size)


def is_rest(added: Any, world: int) -> bool:
    """`files[: -len(files) % world]`, or as many as a computation says that is too long to be known by now."""
    if not isinstance(added, Symbol) or added.key[0] not in ("slice", "repeat", "op *"):
        return False
    counts = added.key[1:] if added.key[0] == "op *" else added.key[2:]
    return any(isinstance(part, Symbol) and (has_rest(part, world) or is_lost(part)) for part in counts)


def is_lost(count: Symbol) -> bool:
    return any(one.key[0] == "deep" for one in provenance.symbols_in(count))


def has_rest(of: Symbol, world: int) -> bool:
    """Was it computed from what is left over when something is divided between the ranks, or from what is missing to
    as many for each, `total - len(order)`?"""
    return any(
        (one.key[0] == "op %" and is_multiple(one.key[2], world))
        or (one.key[0] == "op -" and multiple(one.key[1], world) == EVEN and is_length(one.key[2]))
        for one in provenance.symbols_in(of)
    )


def is_length(of: Any) -> bool:
    return isinstance(of, Symbol) and of.key[0] in ("len", "size")


def filled_up(machine: Machine, items: Value | None, added: Value) -> Unknown:
    held = items if items is not None else NONE
    tags = (held.tags if isinstance(held, Unknown) else frozenset()) - {UNEVEN}
    return Unknown(machine.symbols.of(FILLED_UP, token(held), token(added)), held.cause or added.cause, tags)


def contiguous_share(low: Value, high: Value, world: int) -> object | None:
    """`[rank * share : (rank + 1) * share]`: the share, where it is the same on all lanes."""
    if not isinstance(low, Row) or not isinstance(high, Row):
        return None
    shares = []
    for lane in range(1, world):
        start, end = low.lanes[lane], high.lanes[lane]
        if not isinstance(start, Unknown) or not isinstance(end, Unknown):
            return None
        one, other = start.symbol.key, at_most(end.symbol).key
        if one[0] == "op *" and other[0] == "op *":
            common = [factor for factor in one[1:3] if factor in other[1:3] and isinstance(factor, Symbol)]
            if len(common) != 1:
                return None
            shares.append(common[0])
        elif other[0] == "op +" and start.symbol in other[1:3]:
            shares.append(other[1] if other[2] is start.symbol else other[2])
        else:
            return None
    return shares[0] if all(share is shares[0] or share == shares[0] for share in shares) else None


def as_far_as_it_goes(low: Value, high: Value, world: int) -> bool:
    """`range(rank * share, (rank + 1) * share)`: nobody ends where the data ends, so all have as many numbers."""
    if contiguous_share(low, high, world) is None or not isinstance(high, Row):
        return False
    return all(
        isinstance(end, Const) or (isinstance(end, Unknown) and at_most(end.symbol) is end.symbol) for end in high.lanes
    )


def at_most(end: Symbol) -> Symbol:
    """`min(total, (rank + 1) * share)`: where the part ends, unless nothing is left before that."""
    found = [part for part in end.key[1:] if isinstance(part, Symbol) and part.key[0] in ("op *", "op +")]
    return found[0] if end.key[0] in ("builtins.min", "min") and len(found) == 1 else end


def rounded_down(machine: Machine, length: Row) -> bool:
    """Numbers counted from one share to the next, on each lane, of which nobody has more than the others."""
    bounds = [one.symbol.key[1:3] if isinstance(one, Unknown) else () for one in length.lanes]
    if not all(len(pair) == 2 and isinstance(pair[1], Symbol) for pair in bounds[1:]):
        return False
    low, high = ([(*one, NONE, NONE)[side] for one in bounds] for side in (0, 1))

    def lanes(of: list[Any]) -> Row:
        return Row(tuple(Unknown(one) if isinstance(one, Symbol) else NONE for one in of), length.cause)

    share = contiguous_share(lanes(low), lanes(high), machine.world.size)
    return share is not None and not rounded_up(share)


def rounded_up(share: object) -> bool:
    """`math.ceil(n / world)`, `-(-n // world)`, `(n + world - 1) // world` and `(n - 1) // world + 1`."""
    if not isinstance(share, Symbol):
        return False
    for symbol in provenance.symbols_in(share):
        key = symbol.key
        if key[0] == "math.ceil":
            return True
        if key[0] == "unary -" and isinstance(key[1], Symbol) and key[1].key[0] == "op //":
            return True
        if key[0] == "op //" and isinstance(key[1], Symbol) and key[1].key[0] == "op -":
            inner = key[1].key[1]
            if isinstance(inner, Symbol) and inner.key[0] == "op +" and key[2] in inner.key[1:3]:
                return True
        if key[0] == "op +" and 1 in map(provenance.number_in, key[1:3]) and any(map(one_less, key[1:3])):
            return True
    return False


def one_less(part: object) -> bool:
    """`(n - 1) // world`"""
    whole = part.key[1] if isinstance(part, Symbol) and part.key[0] == "op //" else None
    return isinstance(whole, Symbol) and whole.key[0] == "op -" and provenance.number_in(whole.key[2]) == 1
