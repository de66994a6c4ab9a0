"""How do the imaginary ranks look, and how are values split and merged over them?

Lanes are bits of a mask: lane 0 is bit 0. The world is hosts × processes per host, so that mixing up local and
global ranks shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dtlint.machine.control.agreeing import heard
from dtlint.machine.twins import one_thing, perhaps_one
from dtlint.machine.values import (
    MISSING,
    Bound,
    Cause,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Object,
    Row,
    SliceValue,
    Tuple,
    Unknown,
    Value,
    lane_value,
)


@dataclass(frozen=True, slots=True)
class World:
    hosts: int = 2
    per_host: int = 2

    @property
    def size(self) -> int:
        return self.hosts * self.per_host

    @property
    def full(self) -> int:
        return (1 << self.size) - 1

    def ranks(self) -> tuple[int, ...]:
        return tuple(range(self.size))

    def local_ranks(self) -> tuple[int, ...]:
        return tuple(rank % self.per_host for rank in range(self.size))

    def nodes(self) -> tuple[int, ...]:
        return tuple(rank // self.per_host for rank in range(self.size))

    @staticmethod
    def parse(text: str) -> World:
        hosts, _, per_host = text.partition("x")
        world = World(int(hosts), int(per_host))
        if not (world.hosts >= 1 and world.per_host >= 1 and 2 <= world.size <= 16):
            raise ValueError(f"a world of {text}: use between 2 and 16 ranks, for example 2x2")
        return world


def lanes_in(mask: int) -> Iterator[int]:
    lane = 0
    while mask:
        if mask & 1:
            yield lane
        mask >>= 1
        lane += 1


def lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def name_lanes(mask: int, world: World, noun: str = "rank") -> str:
    """`rank 0`, `ranks 1-3`, `ranks 0 and 2`."""
    lanes = list(lanes_in(mask))
    if not lanes:
        return f"no {noun}"
    if len(lanes) == 1:
        return f"{noun} {lanes[0]}"
    if mask == world.full:
        return f"all {noun}s"
    if len(lanes) > 2 and lanes == list(range(lanes[0], lanes[-1] + 1)):
        return f"{noun}s {lanes[0]}-{lanes[-1]}"
    return f"{noun}s {', '.join(map(str, lanes[:-1]))} and {lanes[-1]}"


def restrict(value: Value, mask: int) -> Value:
    """The value as the lanes in `mask` see it: a Row that agrees on them is one value."""
    if not isinstance(value, Row):
        return value
    first: Value | None = None
    for lane in lanes_in(mask):
        held = value.lanes[lane]
        if first is None:
            first = held
        elif not (held is first or held == first):
            return value
    return value if first is None else first


def row(lanes: tuple[Value, ...], cause: Cause) -> Value:
    """A Row, or the one value that all lanes hold."""
    if any(type(held) is Row for held in lanes):  # an attribute of what one rank holds may differ by rank itself
        lanes = tuple(lane_value(held, lane) for lane, held in enumerate(lanes))
    first = lanes[0]
    if all(held is first or held == first for held in lanes[1:]) or one_thing(lanes):
        return first
    return perhaps_one(lanes) or Row(lanes, cause)


def groups(value: Row, mask: int) -> Iterator[tuple[Value, int]]:
    """Each thing that these lanes hold, with those that hold it."""
    left = mask
    while left:
        thing = value.lanes[lowest(left)]
        lanes = sum(1 << one for one in lanes_in(left) if value.lanes[one] is thing or value.lanes[one] == thing)
        left &= ~lanes
        yield thing, lanes


def of_each(value: Row, mask: int, ask: Callable[[Value, int], Value | None]) -> Value | None:
    """What these lanes are told by the things that each of them has; None where one thing says nothing."""
    answers: dict[int, Value] = {}
    for thing, lanes in groups(value, mask):
        answer = ask(thing, lanes)
        if answer is None:
            return None
        answers.update(dict.fromkeys(lanes_in(lanes), answer))
    some = next(iter(answers.values()))
    return row(tuple(answers.get(lane, some) for lane in range(len(value.lanes))), value.cause)


ALONE = "alone"  # tag: comes from a collective that not all of its ranks made at this place


def received(value: Value) -> bool:
    """Has this come, or all that is in this list, from such a call?"""
    held = value.attributes.get("[]") if type(value) is Object and value.kind == "list" else value
    parts = held.items if type(held) is Tuple else (held,)
    return bool(parts) and all(one is not None and ALONE in one.tags and one.cause is None for one in parts)


def overlay(old: Value, new: Value, mask: int, world: World, cause: Cause | None) -> Value:
    """What a variable holds after the lanes in `mask` assigned `new` and the others kept `old`."""
    if old is new or (new.tags and ALONE in new.tags and new.cause is None):
        return new
    why = cause or new.cause or old.cause or Cause("rank")
    lanes = []
    for lane in range(world.size):
        source = new if mask >> lane & 1 else old
        lanes.append(source.lanes[lane] if isinstance(source, Row) else source)
    missing = [lane for lane, held in enumerate(lanes) if held is MISSING]
    if missing and len(missing) < len(lanes):
        # a name bound on some lanes only: reading it elsewhere is an error of the program, not a value
        present = next(held for held in lanes if held is not MISSING)
        lanes = [present if held is MISSING else held for held in lanes]
    return heard(lanes) or row_of_parts(lanes, why)


def row_of_parts(lanes: list[Value], cause: Cause) -> Value:
    """`model, size = load(name)` on the first rank before the others: of several things that come together some may be
    the same on all lanes."""
    tuples = [held.items for held in lanes if isinstance(held, Tuple)]
    if len(tuples) < len(lanes) or len({len(items) for items in tuples}) > 1:
        return row(tuple(lanes), cause)
    return Tuple(tuple(row_of_parts(list(parts), cause) for parts in zip(*tuples, strict=True)))


def is_switch(value: Value) -> bool:
    """`verbose = rank == 0`"""
    return isinstance(value, Row) and all(isinstance(one, Const) and isinstance(one.value, bool) for one in value.lanes)


def all_constant(value: Row) -> bool:
    return all(isinstance(held, Const) for held in value.lanes)


def token(value: Value) -> object:
    """A hashable stand-in for a value inside a symbol's key."""
    if isinstance(value, Unknown):
        return value.symbol
    if isinstance(value, Const):
        if value.scale is not None and value.scale != "rank":
            return (type(value.value).__name__, repr(value.value)[:80], value.scale)
        held = value.value
        kind = type(held)
        if kind is str or kind is int or held is None:
            return held
        return (kind.__name__, repr(held)[:80])
    if isinstance(value, Row):
        return tuple(token(held) for held in value.lanes)
    if isinstance(value, Tuple):
        return tuple(token(item) for item in value.items)
    if isinstance(value, External):
        return value.name
    if isinstance(value, Object):
        return ("object", value.number) if value.number else (value.kind, *map(token, value.attributes.values()))
    if isinstance(value, FunctionRef):
        return ("function", value.name)
    if isinstance(value, ClassRef):
        return ("class", value.name)
    if isinstance(value, Bound):
        return ("bound", token(value.function), token(value.receiver) if value.receiver else None)
    if isinstance(value, SliceValue):
        return ("slice", token(value.lower), token(value.upper), token(value.step))
    return type(value).__name__


def map_lanes(function: Callable[..., Value], values: tuple[Value, ...], world: World) -> Value:
    """Apply `function` lane by lane where a Row is involved, once otherwise."""
    cause: Cause | None = None
    for value in values:
        if isinstance(value, Row):
            cause = value.cause
            break
    if cause is None:
        return function(*values)
    lanes = tuple(
        function(*(value.lanes[lane] if isinstance(value, Row) else value for value in values))
        for lane in range(world.size)
    )
    return row(lanes, cause)
