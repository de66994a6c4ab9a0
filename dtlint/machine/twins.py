"""Did several lanes each make the same thing, at the same place of the program, only not at the same time?

"One process of a node loads the model, then the next one": what each lane holds is an object of its own, but it is
the model that all of them have.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.values import Cause, Const, FunctionRef, Object, Symbol, Tuple, Unknown, Value

MANY = 500  # parts that are compared: what is alike as far as that is taken to be alike altogether

DEEPEST = 12
DEVICES = frozenset({"device", "device_map", "map_location"})  # parameters that say where something is put
ONE_OF_TWO = frozenset(
    {"phi", "split"}
)  # first words of symbols: what a lane has behind a branch, and what several have

Pairs = set[tuple[int, int]]


def one_thing(lanes: tuple[Value, ...]) -> bool:
    """Objects that differ in who made them and in nothing else; what differs already, and for the same reason."""
    first = lanes[0]
    if type(first) is not Object and (type(first) is not Unknown or first.cause is None):
        return False
    if isinstance(first, Unknown) and first.symbol.key[0] == "text":
        return False  # a name with the rank in it
    others = {id(held): held for held in lanes if held is not first}.values()
    return all(alike(first, held, set()) for held in others)


def perhaps_one(lanes: tuple[Value, ...]) -> Value | None:
    """What several lanes may have in one of two ways, as each sees for itself (`if os.path.isfile(name)`), and a lane
    that was alone has in the way that says more: it sees for itself as well."""
    doubtful = next((held for held in lanes if isinstance(held, Unknown) and held.cause is not None), None)
    if doubtful is None or not isinstance(doubtful.like, Object):
        return None
    others = [held for held in lanes if held is not doubtful and held != doubtful]
    return doubtful if all(alike(held, doubtful.like, set()) for held in others) else None


def twins(one: Object, other: Value, seen: Pairs) -> bool:
    """Made by the same line for other lanes, with parts that are alike. A pair that is being compared is alike as far
    as it is known."""
    if not isinstance(other, Object) or one.kind != other.kind or one.at != other.at or one.path != other.path:
        return False
    if one.birth & other.birth or one.attributes.keys() != other.attributes.keys():
        return False
    pair = (one.number, other.number)
    if pair in seen or len(seen) > MANY:
        return True
    seen.add(pair)
    parts = all(alike(value, other.attributes[name], seen) for name, value in one.attributes.items())
    return parts and made_alike(one.facts.get("call"), other.facts.get("call"), seen)


def made_alike(one: Any, other: Any, seen: Pairs) -> bool:
    """Library objects keep the call that made them. On which device they were put, each says for itself."""
    if one is None or other is None:
        return one is other
    some, others = ([held for name, held in call.keywords if name not in DEVICES] for call in (one, other))
    return all_alike((*one.arguments, *some), (*other.arguments, *others), seen)


def all_alike(some: tuple[Value, ...], others: tuple[Value, ...], seen: Pairs) -> bool:
    return len(some) == len(others) and all(alike(a, b, seen) for a, b in zip(some, others, strict=True))


def alike(one: Value, other: Value, seen: Pairs) -> bool:
    if one is other or one == other:
        return True
    if type(one) is not type(other) or isinstance(one, Const):
        return False
    if isinstance(one, Unknown) and isinstance(other, Unknown):
        reason = same_reason(one.cause, other.cause) or {one.symbol.key[0], other.symbol.key[0]} == ONE_OF_TWO
        return reason and computed_alike(one.symbol, other.symbol, 0)
    if isinstance(one, Object):
        return twins(one, other, seen)
    if isinstance(one, Tuple) and isinstance(other, Tuple):
        return all_alike(one.items, other.items, seen)
    return isinstance(one, FunctionRef) and isinstance(other, FunctionRef) and one.node is other.node


def same_reason(one: Cause | None, other: Cause | None) -> bool:
    """Neither differs between lanes, or both do because of what the same line asks."""
    if one is None or other is None:
        return one is other
    return one.kind == other.kind and one.steps()[:1] == other.steps()[:1]


def numbered(key: tuple[Any, ...]) -> bool:
    """Is the second part a running number, not a number of the program (of a path, a sum, the call of a library)?"""
    return len(key) > 1 and type(key[1]) is int and str(key[0]).isalpha() and key[0] not in ("path", "text")


def computed_alike(one: Any, other: Any, depth: int) -> bool:
    """The same computation on things that were made anew: a file that was opened, an object, a draw."""
    if one is other or one == other or depth > DEEPEST:
        return True
    if isinstance(one, Symbol) and isinstance(other, Symbol):
        one, other = one.key, other.key
        if one[-1] == other[-1] == "fresh":
            return bool(one[0] == other[0])
        if numbered(one) and numbered(other):  # `<file 8>`
            return computed_alike((one[0], *one[2:]), (other[0], *other[2:]), depth)
    if one in ONE_OF_TWO and other in ONE_OF_TWO:
        return True
    if not isinstance(one, tuple) or not isinstance(other, tuple) or len(one) != len(other):
        return False
    if one[0] == other[0] == "object":
        return True
    return all(computed_alike(a, b, depth + 1) for a, b in zip(one, other, strict=True))
