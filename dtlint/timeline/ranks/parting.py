"""What is a place where ranks part, and what lies on the way to it?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dtlint.machine.control.consistent import NOTHING, Answers, agrees
from dtlint.machine.lanes import lanes_in
from dtlint.machine.logs import Attempt, Call, Choice, Decision, Event, Group, HandlerLog, Log, LogNode, Loop, decisions
from dtlint.machine.spoken import first_event, first_in, key, talks
from dtlint.machine.values import Cause

LEAVES = frozenset({"break", "return"})


Path = tuple[LogNode, ...]


@dataclass(slots=True)
class Divergence:
    """One place where ranks part.

    `shape`: guarded, exit, trip, order, argument, local, handler, swallowed. `event` is the first call not all ranks
    make (with the `path` of nodes above it), `here` the lanes that make it, `absent` those that never come,
    `other` what they do instead.
    """

    shape: str
    decision: Decision | None
    event: Event
    path: Path
    here: int
    absent: int
    other: Event | None = None
    other_path: Path = ()
    cause: Cause | None = None
    choice: Choice | None = None
    loop: Loop | None = None
    attempt: Attempt | None = None
    handler: HandlerLog | None = None
    argument: str = ""
    between: tuple[Event, Path] | None = None  # the call of all members that met what was pending
    further: list[Event] = field(default_factory=list)  # other calls behind the same decision
    answers: Answers = NOTHING  # to the questions that nobody can decide, as they are where the ranks part

    @property
    def way_out(self) -> str:
        """How one side of an undecided branch leaves."""
        return next((word for word in self.choice.exits if word), "") if self.choice is not None else ""


@dataclass(slots=True)
class Item:
    """One pending thing of one or several lanes: a call, a loop or an undecided branch that communicates."""

    node: LogNode
    path: Path
    mask: int
    keys: dict[int, object] = field(default_factory=dict)
    copied: Item | None = None
    whole: bool = field(default=False, kw_only=True)  # every member of the group makes this call

    @property
    def of(self) -> Item:
        return self.copied or self


@dataclass(slots=True)
class Fork(Item):
    """What is pending after a branch that all ranks take alike: on its one side this, on the other that."""

    sides: tuple[list[Item], list[Item]] = ([], [])


Pending = dict[int, list[Item]]  # by the member mask of the communicator


def communicators(group: Group, mask: int) -> list[int]:
    return sorted({group.members[lane] for lane in lanes_in(mask) if group.members[lane]})


def block_communicators(node: Choice | Loop, mask: int, full: int) -> list[int]:
    sides = (node.body,) if isinstance(node, Loop) else (node.then, node.other)
    found: set[int] = set()
    for side in sides:
        for lane in lanes_in(mask):
            collect(key(side, lane), found, full)
    return sorted(found)


def collect(parts: object, found: set[int], full: int) -> None:
    if not isinstance(parts, tuple):
        return
    for part in parts:
        if isinstance(part, tuple) and len(part) > 1 and isinstance(part[0], str) and isinstance(part[1], int):
            if part[0] == "loop":
                collect(part[2], found, full)
            else:
                found.add(part[1])
        elif isinstance(part, tuple):
            collect(part, found, full)


def strip_ends(parts: object) -> object:
    if isinstance(parts, tuple):
        stripped = (strip_ends(part) for part in parts if part != ("end",))
        return tuple(part for part in stripped if not says_nothing(part))
    return parts


def says_nothing(part: object) -> bool:
    return isinstance(part, tuple) and part[:3] == ("choice", (), ())


def communicates_without_end(log: Log, mask: int) -> bool:
    return talks(log, mask)


def in_talking_loop(path: Path, mask: int) -> bool:
    for node in reversed(path):
        kind = node.__class__
        if kind is Loop:
            return communicates_without_end(node.body, mask)  # type: ignore[union-attr]
        if kind is Call:
            return False
    return False


def part_of_turn(path: Path, mask: int) -> bool:
    """Are these only some of the lanes that turn in the innermost loop, and do the lanes talk there?"""
    for node in reversed(path):
        if isinstance(node, Loop):
            return bool(node.mask & ~mask) and talks(node.body, node.mask)
        if isinstance(node, Call):
            return False
    return False


def behind(item: Item, decision: Decision) -> bool:
    if isinstance(item.node, Choice) and item.node.decision is decision:
        return True
    return any(same_place(one, decision) for one in chain(item.node, item.path))


def same_place(one: Decision, other: Decision) -> bool:
    return one is other or (one.path, one.at) == (other.path, other.at)


def chain(node: LogNode, path: Path) -> Iterator[Decision]:
    """All decisions on the way to a node, innermost first, over the calls and branches above it."""
    yield from decisions(node.guards)
    for above in reversed(path):
        if isinstance(above, Call):
            yield from decisions(above.guards)
        elif isinstance(above, Choice):
            yield from above.parting(node)
        node = above


def leaving(node: Choice, depth: int = 4) -> Choice | None:
    """The branch, this or one inside it, of which one side left."""
    if any(node.exits):
        return node
    if depth:
        for log in (node.then, node.other):
            for inner in log.nodes:
                found = leaving(inner, depth - 1) if isinstance(inner, Choice) else None
                if found is not None:
                    return found
    return None


def cause_of(node: LogNode, path: Path) -> Cause | None:
    if isinstance(node, Choice) and node.cause is not None:
        return node.cause
    return next((one.cause for one in chain(node, path) if one.cause is not None), None)


def locate(item: Item, known: Answers = NOTHING) -> tuple[Event, Path] | None:
    """The first communicating call of a pending thing, on a side that agrees with the answers known."""
    node = item.node
    if isinstance(node, Event):
        return (node, item.path) if follows_from(known, item.path, node) else None
    found = first_in(node, item.mask, known)
    if found is None or not follows_from(known, item.path, node):
        return None
    return found[0], (*item.path, *found[1])


def follows_from(known: Answers, path: Path, node: LogNode) -> bool:
    """Do the branches on the way to a node go with the answers known?"""
    for above in reversed(path):
        if (
            known
            and isinstance(above, Choice)
            and not agrees(above, any(one is node for one in above.then.nodes), known)
        ):
            return False
        node = above
    return True


def next_in_loop(path: Path, mask: int, known: Answers = NOTHING) -> tuple[Event, tuple[LogNode, ...]] | None:
    for node in reversed(path):
        if isinstance(node, Loop):
            return first_event(node.body, mask, known)
        if isinstance(node, Call):
            return None
    return None


def ends_with_a_turn(path: Path, file: str, function: str) -> bool:
    """Does who goes through a turn of the loop around it leave the loop, so that others come to its calls in a later
    turn: `except FileNotFoundError: continue`, and a `break` at the end?"""
    around = [
        one for one in path if isinstance(one, Loop) and (one.decision.path, one.decision.function) == (file, function)
    ]
    return bool(around) and around[-1].again and not around[-1].through
