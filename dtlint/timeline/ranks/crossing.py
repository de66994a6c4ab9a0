"""Where do two ranks talk on two groups, or in two threads, with nothing that puts the talks in order?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dtlint.machine.lanes import lanes_in
from dtlint.machine.logs import Event, Log, LogNode, Loop
from dtlint.machine.run import Run
from dtlint.machine.values import Object, Value
from dtlint.machine.walks import walk
from dtlint.timeline.records import recorded

MANAGER = "manager"
MAKING = frozenset({"init", "wrap", "new_group", "prepare", "fully_shard"})


@dataclass(frozen=True, slots=True)
class Crossing:
    """`event` is the later start, `other` the talk it may overtake."""

    event: Event
    other: Event
    threaded: bool


def crossings(run: Run) -> Iterator[Crossing]:
    for event, _ in recorded(run, "crossed-works"):
        yield Crossing(event.extra["work"].facts["event"], event.extra["other"].facts["event"], False)
    for event, path in recorded(run, "thread-start"):
        inside = talks_in(event.extra["log"])
        if not inside:
            continue
        meanwhile = next((one for one in beside(run, event, path) if any(share(one, two) for two in inside)), None)
        if meanwhile is not None:
            yield Crossing(event, meanwhile, True)


def talks_in(log: Log) -> list[Event]:
    return [node for node, _ in walk(log) if isinstance(node, Event) and talk(node)]


def talk(event: Event) -> bool:
    if event.group is None or event.group.name == MANAGER:
        return False  # family DT8 looks at managers
    return event.kind in ("collective", "p2p") and event.op not in MAKING


def beside(run: Run, start: Event, path: tuple[LogNode, ...], talk: Callable[[Event], bool] = talk) -> Iterator[Event]:
    """What the main thread says while the other one runs: up to its join, and in the rest of the loop around it."""
    running = False
    for node, _ in run.walk():
        if node is start:
            running = True
        elif running and isinstance(node, Event):
            if node.kind == "record" and node.op == "thread-join" and joins(node, start):
                break
            if talk(node):
                yield node
    loop = next((node for node in path if isinstance(node, Loop)), None)
    if loop is not None:
        inside = [node for node, _ in walk(loop.body) if isinstance(node, Event)]
        if not any(node.op == "thread-join" and joins(node, start) for node in inside):
            yield from (node for node in inside if talk(node))


def joins(event: Event, start: Event) -> bool:
    begun = (start.subject, start.extra.get("future"))
    return any(is_same(event.subject, one) for one in begun) or not hasattr(event.subject, "number")


def is_same(one: Value | None, other: Value | None) -> bool:
    """What the turn before has made in the same place counts too."""
    if one is other or not (isinstance(one, Object) and isinstance(other, Object)):
        return one is other
    return one.kind == other.kind and one.at is not None and (one.path, one.at) == (other.path, other.at)


def share(one: Event, other: Event) -> bool:
    """Do two ranks take part in both?"""
    assert one.group is not None and other.group is not None
    both = one.mask & other.mask
    return any(
        bin(one.group.members[lane] & other.group.members[lane] & both).count("1") > 1 for lane in lanes_in(both)
    )
