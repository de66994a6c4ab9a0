"""Which things of one kind did the ranks do? Events that rules of other families read, found in one walk per run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from dtlint.findings import Step
from dtlint.machine.logs import Call, Choice, Decision, Event, LogNode, Site, decisions
from dtlint.machine.run import Run
from dtlint.machine.walks import walk

Found = tuple[Event, tuple[LogNode, ...]]
GIVEN = re.compile(r"\s*(\w+)\s*=(?!=)")  # an option that stands on a line of its own


def recorded(run: Run, *kinds: str) -> Iterator[Found]:
    """Events recorded under one of these kinds, each with the nodes above it."""
    table: dict[str, list[Found]] | None = run.cache.get("records")
    if table is None:
        table = {}
        for node, path in run.walk():
            if isinstance(node, Event):
                table.setdefault(node.op if node.kind == "record" else f"<{node.kind}>", []).append((node, path))
        run.cache["records"] = table
    for kind in kinds:
        yield from table.get(kind, ())


def guards_over(event: Event, path: tuple[LogNode, ...]) -> Iterator[Decision]:
    """The decisions over an event and over the calls that lead to it."""
    for chain in (event.guards, *(node.guards for node in path if isinstance(node, Call))):
        yield from decisions(chain)


def matters(run: Run, asked: Event) -> bool:
    """Does anything that these ranks do, or where they go, hang on the decision they take here?"""
    for node, _ in run.walk():
        if isinstance(node, Choice) and (node.decision.path, node.decision.at[0]) == (asked.path, asked.at[0]):
            if any(node.exits) or any(
                isinstance(one, Event) and one.mask & asked.mask and one.op != "group-needed"
                for side in (node.then, node.other)
                for one, _ in walk(side)
            ):
                return True
    return False


def calls_around(event: Event, path: tuple[LogNode, ...]) -> list[Call]:
    """The calls that lead to an event, outermost first. The body of `with timed():` is run while `timed` is, and yet
    nobody who reads it would say that `timed` leads there."""
    found: list[Call] = []
    place = (event.path, event.function)
    for node in reversed(path):
        if isinstance(node, Call) and ((node.callee_path, node.function) == place or (node.path, node.caller) != place):
            found.append(node)
            place = (node.path, node.caller)
    return found[::-1]


def ways_to(run: Run, place: Site, most: int = 3) -> tuple[Step, ...]:
    """The calls that lead to a place, where a function is called from one place only: the line to change may be one of
    them."""
    path, _, function = place
    found: dict[tuple[str, int], tuple[Step, ...]] = {}
    for node, above in run.walk():
        if isinstance(node, Call) and (node.callee_path, node.function) == (path, function):
            calls = [*(one for one in above if isinstance(one, Call)), node][-most:]
            steps = tuple(Step.of(one, f"calls `{one.function}`") for one in calls)
            found.setdefault((node.path, node.at[0]), steps)
    return next(iter(found.values())) if len(found) == 1 else ()


def ways_down(event: Event, path: tuple[LogNode, ...], most: int = 3) -> tuple[Step, ...]:
    """The calls that lead to an event, outermost first, and the branch it is in: the line to change may be one of
    them."""
    nodes = calls_around(event, path)[-most:]
    steps = [Step.of(node, f"calls `{node.function}`") for node in nodes]
    for decision in decisions(event.guards):
        if decision.kind == "branch" and decision.cause is None and decision.taken == event.mask:
            steps.append(Step.of(decision, f"`{decision.text}` is the same on all of them"))
            break
    return tuple(steps)


def options_of(run: Run, place: Site, names: Collection[str]) -> tuple[Step, ...]:
    """Where a call that is written on several lines gives these options: the line to change may be one of them."""
    path, (first, _, last, _), _ = place
    if first == last:
        return ()
    lines = run.project.text(path).split("\n")[first - 1 : last]
    given = ((number, GIVEN.match(line)) for number, line in enumerate(lines, first))
    found = ((number, match.group(1)) for number, match in given if match is not None)
    return tuple(Step(path, number, f"`{name}` is given here") for number, name in found if name in names)
