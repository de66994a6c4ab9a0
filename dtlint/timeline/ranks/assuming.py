"""What is pending where a question that nobody can answer has one answer?

All ranks answer it alike, so it is enough to go through the answers one after the other: where every one of them
lets the ranks agree, they do, and the first that parts them tells the story without an "if". The answers to begin
with are those of which most is heard: nobody leaves, and what may be called is called.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, count

from dtlint.machine.control.consistent import NOTHING, Answers, Sorting, agrees, answers_of, changed
from dtlint.machine.lanes import lanes_in
from dtlint.machine.logs import FAILS, Choice, Event, Log, Loop, plain_question
from dtlint.machine.spoken import answered_alike, choice_key, talks
from dtlint.timeline.ranks.parting import Fork, Item, Path, Pending

ENOUGH = 48  # combinations of answers
LONG = 64  # things pending at a time

Collect = Callable[[Log, Path, Pending, int], object]


@dataclass(frozen=True, slots=True)
class Case:
    """What is pending where some questions, those `turned`, have the answer that was not to be expected."""

    items: list[Item]
    turned: tuple[Choice, ...] = ()
    answers: Answers = NOTHING


def answered(node: Choice, side: bool) -> Answers:
    """What is known on one side of a branch: that it was taken, and the answer to the question. Where each rank answers
    for itself, that it may differ is told by itself; all take one side here."""
    common = answers_of(node, side) if answered_alike(node) else ()
    return frozenset((*common, taken(node, side)))


def taken(node: Choice, side: bool) -> tuple[tuple[str, int], bool]:
    """One decision, which may have been put the other way round where some have left by it."""
    return ("branch", id(node.decision)), side is plain_question(node.symbol)[1]


def open_sides(node: Choice, answers: Answers) -> list[bool]:
    known = dict(answers)
    sides = [side for side in (True, False) if agrees(node, side, answers)]
    return [side for side in sides if known.get(taken(node, side)[0], taken(node, side)[1]) is taken(node, side)[1]]


class Assuming:
    """Goes through what is pending for one communicator, `members`. What a thing pending comes to is found out once for
    each set of answers that it asks for."""

    def __init__(self, collect: Collect, members: int) -> None:
        self.collect = collect
        self.members = members
        self.sorting = Sorting()
        self.found: dict[tuple[int, ...], tuple[Item, tuple[Log, ...], list[Item]]] = {}

    def cases(self, first: Case) -> Iterator[Case]:
        """What is pending for the combinations of answers, the likeliest first."""
        number = count()
        waiting = [((0, 0), next(number), first)]
        for _ in range(ENOUGH):
            if not waiting:
                return
            cost, _, case = heapq.heappop(waiting)
            while True:
                case = Case(self.resolved(case.items, case.answers), case.turned, case.answers)
                if len(case.items) > LONG:
                    break
                node = next((item.node for item in case.items if is_open(item)), None)
                if not isinstance(node, Choice):
                    yield case
                    break
                sides = open_sides(node, case.answers)
                if not sides:
                    break  # nobody answers like that
                sides.sort(key=lambda side: unlikely(node, side))
                for side in sides[1:]:
                    dearer = (cost[0] + 1, cost[1] + unlikely(node, side)[0])
                    turned = Case(case.items, (*case.turned, node), case.answers | answered(node, side))
                    heapq.heappush(waiting, (dearer, next(number), turned))
                case = Case(case.items, case.turned, case.answers | answered(node, sides[0]))

    def one_turn(self, case: Case, loops: list[Item]) -> Case:
        """One turn of these loops in their places."""
        found: list[Item] = []
        for item in case.items:
            if isinstance(item.node, Loop) and any(item is one for one in loops):
                found += self.below(item, item.node.body, (*item.path, item.node))
            else:
                found.append(item)
        return Case(found, case.turned, case.answers)

    def below(self, item: Item, log: Log, path: Path) -> list[Item]:
        known = self.found.get((id(item), id(log)))
        if known is None:
            own: Pending = {}
            self.collect(log, path, own, item.mask)
            known = self.found[id(item), id(log)] = (item, (log,), own.get(self.members, []))
        return known[2]

    def resolved(self, items: list[Item], answers: Answers) -> list[Item]:
        if not answers:
            return items
        found: list[Item] = []
        opened: set[tuple[int, ...]] = set()  # what says several things is pending for each of them, and opened once
        for item in items:
            where = (id(item.node), *map(id, item.path))
            if where in opened:
                continue
            inside = self.one(item, answers)
            if len(inside) != 1 or inside[0] is not item:
                opened.add(where)
            found += inside
        return found

    def one(self, item: Item, answers: Answers) -> list[Item]:
        node = item.node
        if isinstance(node, Event) and node.kind == "end" and node.loop is not None:
            turn = self.sorting.sorted_out(node.loop.body, answers)
            return [item] if talks(turn, node.loop.mask) else []  # nobody waits there for another turn
        if isinstance(node, Loop):
            return self.again(item, node, body=self.sorting.sorted_out(node.body, answers))
        if not isinstance(node, Choice) or not is_open(item):
            return [item]
        sides = open_sides(node, answers)
        if isinstance(item, Fork):
            return self.resolved(item.sides[not sides[0]], answers) if len(sides) == 1 else self.both(item, answers)
        if len(sides) != 1:
            inner = {side: self.sorting.sorted_out(getattr(node, side), answers) for side in ("then", "other")}
            return self.again(item, node, **inner)
        side = "then" if sides[0] else "other"
        log = self.sorting.sorted_out(getattr(node, side), answers)
        below = self.below(item, log, (*item.path, changed(node, **{side: log})))
        left = [Item(node, item.path, item.mask)] if leaves_alone(node, sides[0]) else []
        return [*self.resolved(below, answers), *left]

    def both(self, item: Fork, answers: Answers) -> list[Item]:
        """It is not known which side is taken; what is known of other questions holds on both."""
        left, right = sides = [self.resolved(side, answers) for side in item.sides]
        if [*map(id, chain(*sides))] == [*map(id, chain(*item.sides))]:
            return [item]
        assert isinstance(item.node, Choice)
        return forked(item.node, item.path, left, right)

    def again(self, item: Item, node: Choice | Loop, **inner: Log) -> list[Item]:
        """The same with other logs in it: what is asked in there is known."""
        new = changed(node, **inner)
        if new is node:
            return [item]
        logs = tuple(inner.values())
        index = (id(item), *map(id, logs))
        known = self.found.get(index)
        if known is None:
            alone = Log()
            alone.nodes.append(new)
            self.found[index] = known = (item, logs, self.below(item, alone, item.path))
        return known[2]


def is_open(item: Item) -> bool:
    """Has it still to be asked which side is taken? A way out that says nothing has been taken."""
    return isinstance(item.node, Choice) and bool(item.keys)


def leaves_alone(node: Choice, side: bool) -> bool:
    """Does this side of the branch leave, and the other one not?"""
    return bool(node.exits[not side]) and not node.exits[side]


def unlikely(node: Choice, side: bool) -> tuple[int, bool, bool]:
    """An error that ends the job is the last to think of."""
    word = node.exits[not side] if leaves_alone(node, side) else ""
    return (1 if word in FAILS else 0), bool(word), not talks(node.then if side else node.other, node.mask)


def forked(node: Choice, path: Path, left: list[Item], right: list[Item]) -> list[Item]:
    """What is pending after a branch that all ranks take alike, whichever side it is."""
    same = 0
    while same < min(len(left), len(right)) and left[same] is right[same]:
        same += 1
    sides = left[same:], right[same:]
    if not any(sides):
        return left
    keys: dict[int, object] = {}
    mask = 0
    for item in (*sides[0], *sides[1]):
        mask |= item.mask
    for lane in lanes_in(mask):
        said = tuple(tuple(item.keys[lane] for item in side if lane in item.keys) for side in sides)
        if any(said):
            keys[lane] = ("fork", *choice_key(node, *said))
    return [*left[:same], Fork(node, path, mask, keys, None, sides)]
