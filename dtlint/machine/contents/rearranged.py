"""What do the methods of a list make of it, where it is known what stands at each place?

Python's own list is asked, of things that it can tell apart and not look into. Where it asks for more, nobody knows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.lanes import restrict, row
from dtlint.machine.names import classes
from dtlint.machine.values import (
    FILLED,
    NONE,
    Cause,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Object,
    Row,
    SliceValue,
    Tuple,
    Value,
    lane_value,
)

NAMED = (FunctionRef, ClassRef, External)  # what has a name is nothing with another name
MOST = 64
Rearranges = Callable[..., Any]  # of a list and more things


class Asked(Exception):
    """Somebody wants to know what nobody knows of a thing."""


class Held:
    """A thing of the program's, in a list of Python's."""

    __slots__ = ("machine", "value")

    def __init__(self, machine: Machine, value: Value) -> None:
        self.machine = machine
        self.value = value

    def __eq__(self, other: object) -> bool:
        answer = alike(self.machine, self.value, other.value) if isinstance(other, Held) else None
        if answer is None:
            raise Asked
        return answer

    def __lt__(self, other: object) -> bool:
        answer = before(self.machine, self.value, other.value) if isinstance(other, Held) else None
        if answer is None:
            raise Asked
        return answer

    def __hash__(self) -> int:
        raise Asked

    def __bool__(self) -> bool:
        if not isinstance(self.value, Const):
            raise Asked
        return bool(self.value.value)


def alike(machine: Machine, one: Value, other: Value) -> bool | None:
    if isinstance(one, Const) and isinstance(other, Const):
        return one.value == other.value if one.scale == other.scale or "rank" in (one.scale, other.scale) else None
    if one is other or (one == other and one.cause is None):
        return True
    if isinstance(one, Tuple) and isinstance(other, Tuple):
        if len(one.items) != len(other.items):
            return False
        parts = [alike(machine, *pair) for pair in zip(one.items, other.items, strict=True)]
        return False if False in parts else None if None in parts else True
    if isinstance(one, NAMED) and isinstance(other, NAMED):
        return False
    return False if is_itself(machine, one) and is_itself(machine, other) else None


def before(machine: Machine, one: Value, other: Value) -> bool | None:
    """Of numbers and texts, and of tuples that begin with them."""
    if isinstance(one, Const) and isinstance(other, Const):
        try:
            return bool(one.value < other.value)
        except TypeError:
            return None
    if not isinstance(one, Tuple) or not isinstance(other, Tuple):
        return None
    for mine, theirs in zip(one.items, other.items, strict=False):
        same = alike(machine, mine, theirs)
        if not same:
            return None if same is None else before(machine, mine, theirs)
    return len(one.items) < len(other.items)


def is_itself(machine: Machine, value: Value) -> bool:
    """An instance of the program's own, that is equal to no other one, and certainly this one."""
    if not isinstance(value, Object) or not isinstance(value.kind, ClassRef) or value.instead or value.doubted:
        return False
    return classes.in_class(machine, value.kind, "__eq__") is None


def rearranged(
    machine: Machine, several: Object, change: Rearranges, given: tuple[Value, ...], mask: int
) -> Value | None:
    """What it gives, after the list has been changed; None where nobody can say what that leaves."""
    held = several.attributes.get("[]")
    if held is None or FILLED in several.attributes:
        return None
    held = restrict(held, mask)
    parted = (held, *given, *(held.items if isinstance(held, Tuple) else ()))
    cause = next((one.cause for one in (held, *given) if isinstance(one, Row)), None)
    deeper = next((one.cause for one in parted if isinstance(one, Row)), None)
    for why in (cause, deeper) if deeper is not cause else (cause,):
        made = by_lane(machine, several, held, change, given, why, mask)
        if made is not None:
            left, answer = made
            machine.set(several, "[]", left, mask)
            return answer
    return None


def by_lane(
    machine: Machine,
    several: Object,
    held: Value,
    change: Rearranges,
    given: tuple[Value, ...],
    cause: Cause | None,
    mask: int,
) -> tuple[Value, Value] | None:
    lefts, answers = list[Value](), list[Value]()
    for lane in range(machine.world.size) if cause is not None else (0,):
        if cause is not None and not mask >> lane & 1:
            lefts.append(NONE)  # it is asked nothing
            answers.append(NONE)
            continue
        items = lane_value(held, lane) if cause is not None else held
        if not isinstance(items, Tuple) or len(items.items) > MOST:
            return None
        own = (lambda value, lane=lane: lane_value(value, lane)) if cause is not None else (lambda value: value)
        made = asked(machine, several, [own(item) for item in items.items], change, [own(one) for one in given])
        if made is None:
            return None
        lefts.append(made[0])
        answers.append(made[1])
    if cause is None:
        return lefts[0], answers[0]
    return filled(lefts, mask, cause), filled(answers, mask, cause)


def filled(lanes: list[Value], mask: int, cause: Cause) -> Value:
    """Of the lanes that are asked; the others are as good as one of these."""
    some = next(value for lane, value in enumerate(lanes) if mask >> lane & 1)
    return row(tuple(value if mask >> lane & 1 else some for lane, value in enumerate(lanes)), cause)


def asked(
    machine: Machine, several: Object, items: list[Value], change: Rearranges, given: list[Value]
) -> tuple[Value, Value] | None:
    things: Any = [Held(machine, item) for item in items]
    if several.facts.get("builtin") == "deque":
        things = deque(things)
    told = [thing_of(machine, one) for one in given]
    try:
        answer = change(things, *told)
    except Exception:  # Python asks for what nobody knows, or the program makes a mistake
        return None
    if not all(isinstance(thing, Held) for thing in things):
        return None
    left = Tuple(tuple(thing.value for thing in things))
    if isinstance(answer, Held):
        return left, answer.value
    return left, NONE if answer is None else Const(answer)


def thing_of(machine: Machine, value: Value) -> Any:
    """A number says which place, and may be the thing as well: `Place` is both."""
    if isinstance(value, Const) and type(value.value) is int and value.scale in (None, "rank"):
        return Place(machine, value)
    if isinstance(value, SliceValue):
        bounds = [value.lower, value.upper, value.step]
        return slice(*(one.value if isinstance(one, Const) else Asked for one in bounds))
    if isinstance(value, Tuple) or (isinstance(value, Object) and value.kind == "list"):
        items = value.items if isinstance(value, Tuple) else getattr(value.attributes.get("[]"), "items", None)
        return Several(machine, value, items)
    return Held(machine, value)


class Place(Held):
    __slots__ = ()

    def __index__(self) -> int:
        assert isinstance(self.value, Const)
        number: int = self.value.value
        return number


class Several(Held):
    """A list that is one thing in another, or many that are put there."""

    __slots__ = ("items",)

    def __init__(self, machine: Machine, value: Value, items: tuple[Value, ...] | None) -> None:
        super().__init__(machine, value)
        self.items = items

    def __iter__(self) -> Any:
        if self.items is None:
            raise Asked
        return iter([Held(self.machine, item) for item in self.items])
