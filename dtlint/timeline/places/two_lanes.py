"""In which order do two lanes come to one place?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.findings import Step
from dtlint.machine.lanes import lanes_in
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.python import files
from dtlint.machine.logs import Call, Choice, plain_question
from dtlint.machine.run import Run
from dtlint.machine.values import Row, Symbol, Unknown
from dtlint.timeline.arrays.lives import NOTHING, Use, exclude
from dtlint.timeline.places.files import Access, overlap, same_node


def pairs(run: Run, change: Access, other: Access) -> Iterator[tuple[int, int]]:
    """Lanes that change a place, each with a lane that only comes to see it. Not in a program that does either."""
    met = [
        (lane, late)
        for late in lanes_in(other.mask & ~change.mask)
        for lane in change.lanes()
        if touching(change, other, lane, late) and (not change.own >> lane & 1 or same_node(run, late, lane))
    ]
    if met and not only_one(change, other):
        yield from met


def touching(change: Access, other: Access, lane: int, late: int) -> bool:
    """The same place, or one inside the other."""
    return any(overlap(mine, place) for mine, place in spots(change, other, lane, late))


def spots(change: Access, other: Access, lane: int, late: int) -> Iterator[tuple[str, str]]:
    """Where the two lanes go; of one of two places, where they go as the questions on the way to both are answered."""
    yield change.places[lane], other.places[late]
    if chosen(change) or chosen(other):
        answers = answers_to(change) | answers_to(other)
        yield place_if(change, lane, answers), place_if(other, late, answers)


def chosen(access: Access) -> bool:
    """Is it one of two places?"""
    values = access.value.lanes if isinstance(access.value, Row) else (access.value,)
    return any(one.key[0] == "phi" for held in values if isinstance(held, Unknown) for one in symbols_in(held.symbol))


def place_if(access: Access, lane: int, answers: dict[Symbol, bool]) -> str:
    return files.place(access.value, lane, answers) if answers and chosen(access) else access.places[lane]


def answers_to(access: Access) -> dict[Symbol, bool]:
    """What a rank has been asked on the way there, and has answered."""
    found = {}
    for node, below in zip(access.path, (*access.path, access.event)[1:], strict=True):
        asked, given = plain_question(node.symbol) if isinstance(node, Choice) else (None, True)
        if asked is not None and isinstance(node, Choice) and node.cause is None:
            found[asked] = any(one is below for one in node.then.nodes) is given
    return found


def only_one(change: Access, other: Access) -> bool:
    """Does the program do one of the two and never both?"""
    return exclude(Use(NOTHING, change.event, change.path), Use(NOTHING, other.event, other.path))


def not_after(change: Access, other: Access, lane: int, late: int) -> bool:
    """Has nobody met since the change? A lane that has met anybody tried to: who did not come is another question."""
    return max(other.clocks[late], other.clocks[lane]) <= change.clocks[lane]


def not_before(change: Access, other: Access, lane: int, late: int) -> bool:
    """Has nobody met between the other one's coming and the change?"""
    return max(change.clocks[lane], change.clocks[late]) <= other.clocks[late]


def side_by_side(change: Access, other: Access, lane: int, late: int) -> bool:
    """Do the two call one function in two places, one inside `with log_file():`, and has the one that comes to see been
    there before the other met with anybody?"""
    shared = called_alone(change, lane, late) & called_alone(other, late, lane)
    return bool(shared) and other.clocks[late] < change.clocks[lane]


def called_alone(one: Access, lane: int, without: int) -> set[object]:
    """The functions on the way there that one of two lanes is in, where the other is not."""
    calls = (node for node in one.path if isinstance(node, Call) and not node.mask >> without & 1)
    return {(node.callee_path, node.callee_at) for node in calls if node.mask >> lane & 1}


def inside(one: Access, folder: Access, lane: int, owner: int) -> bool:
    """Is this the place itself, or below it? What only one rank sees, it sees alike in both."""
    where, root = one.places[lane], folder.places[owner]
    above = root.removesuffix(f" of {owner}") if owner == lane else root
    return where == root or where.startswith(f"{above}/")


def ways_apart(one: Access, other: Access, most: int = 3) -> tuple[Step, ...]:
    """The calls that lead to one access and not to the other: the ranks have to meet before or behind one of them."""
    apart = [node for node in one.path if isinstance(node, Call) and not any(node is shared for shared in other.path)]
    return tuple(Step.of(node, f"calls `{node.function}`") for node in apart[:most])
