"""Do the names that the ranks of a node give to a thing differ by their numbers on the node alone?"""

from __future__ import annotations

import re

from dtlint.machine.library.python.files import text_of
from dtlint.machine.run import Run
from dtlint.machine.values import Const, Symbol, Unknown, Value, lane_value
from dtlint.timeline.places.files import Access

DEEPEST = 20


def numbered(run: Run, access: Access) -> bool:
    """By nothing but the number of the rank, or by one behind the first one's name? The rest may be unknown:
    `f"{split}_{local_rank}.npy"`."""
    first, *others = access.places[: run.world.per_host]
    value = text_of(access.value)
    names = [lane_value(value, lane) for lane in range(run.world.per_host)]
    if all(alike(first, place, lane) for lane, place in enumerate(others, 1)):
        return True
    if all(name != names[0] and same_but_for(part_of(names[0]), part_of(name), lane) for lane, name in rest(names)):
        return True
    behind = [place.removeprefix(first) for place in others]
    return all(place.startswith(first) for place in others) and all(
        re.search(rf"(?<!\d){lane}(?!\d)", text) for lane, text in enumerate(behind, 1)
    )


def rest(names: list[Value]) -> list[tuple[int, Value]]:
    return list(enumerate(names))[1:]


def part_of(value: Value) -> object:
    return value.symbol if isinstance(value, Unknown) else value.value if isinstance(value, Const) else value


def same_but_for(one: object, other: object, lane: int, depth: int = 0) -> bool:
    """Are these computed alike, with `lane` in the second where the first has nought?"""
    if one == other or (type(one) is int and type(other) is int):
        return one == other or (one, other) == (0, lane)
    if depth > DEEPEST:
        return False
    if isinstance(one, str) and isinstance(other, str):
        return alike(one, other, lane)
    if isinstance(one, Symbol) and isinstance(other, Symbol):
        return same_but_for(one.key, other.key, lane, depth + 1)
    if not isinstance(one, tuple) or not isinstance(other, tuple) or len(one) != len(other):
        return False
    return all(same_but_for(part, second, lane, depth + 1) for part, second in zip(one, other, strict=True))


def alike(one: str, other: str, lane: int) -> bool:
    """`part_0.npy` and `part_1.npy` of the second lane"""
    pieces = [re.split(r"(\d+)", text) for text in (one, other)]
    return len(pieces[0]) == len(pieces[1]) and all(
        piece == second or (piece, second) == ("0", str(lane)) for piece, second in zip(*pieces, strict=True)
    )
