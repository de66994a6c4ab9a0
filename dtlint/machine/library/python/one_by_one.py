"""What does `next` take from an iterator of which every item is known, and what does it leave there?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import lanes_in, row
from dtlint.machine.values import FILLED, NONE, Cause, Object, Row, Tuple, Value, lane_value

ITERATORS = ("list", "<generator>")  # `map(…)` and `zip(…)` of known things have been made lists
BEGUN = "begun"  # fact of a list: it is what is left of an iterator
MOST = 64


def begun(machine: Machine, walked: Value, mask: int) -> Value | None:
    """`iter(names)`: who takes from it takes nothing from the list."""
    lanes = walked.lanes if isinstance(walked, Row) else (walked,)
    if any(isinstance(lane, Object) and FILLED in lane.attributes for lane in lanes):
        return None
    known = [containers.items_of(machine, lane) for lane in lanes]
    items = [Tuple(held) for held in known if held is not None and len(held) <= MOST]
    if len(items) < len(known):
        return None
    made = machine.new("list", mask)
    made.facts[BEGUN] = True
    made.attributes["[]"] = row(tuple(items), walked.cause) if walked.cause is not None else items[0]
    return made


def walked(machine: Machine, iterator: Value, mask: int) -> Iterator[tuple[Value, int]]:
    """What a loop takes, turn by turn, where it may take more itself: `for name in words: value = next(words)`."""
    while isinstance(iterator, Object):
        held = iterator.attributes.get("[]", NONE)
        lanes = sum(1 << lane for lane in lanes_in(mask) if getattr(lane_value(held, lane), "items", ()))
        item = taken(machine, iterator, NONE, mask, lambda cause: None) if lanes else None
        if item is None:
            return
        yield item, lanes


def taken(
    machine: Machine, iterator: Value, default: Value | None, mask: int, ends: Callable[[Cause], None]
) -> Value | None:
    """`ends` is told why there is nothing for some lanes, which were not given anything for that."""
    if not isinstance(iterator, Object) or iterator.kind not in ITERATORS or FILLED in iterator.attributes:
        return None
    held = iterator.attributes.get("[]")
    lanes = held.lanes if isinstance(held, Row) else (held,)
    left = [one.items for one in lanes if isinstance(one, Tuple)]
    if len(left) < len(lanes) or iterator.birth & ~mask:
        return None
    if not any(left):
        return default
    cause = held.cause if held is not None else None
    found = [items[0] if items else default for items in left]
    rest = tuple(Tuple(items[1:]) for items in left)
    machine.set(iterator, "[]", row(rest, cause) if cause is not None else rest[0], mask)
    if cause is None:
        return found[0]
    if None in found:
        ends(cause)
    return row(tuple(NONE if one is None else one for one in found), cause)
