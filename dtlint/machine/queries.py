"""What can one ask the machine apart from the rules: where do ranks communicate, and why does a line differ?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.findings import Step
from dtlint.machine.logs import Attempt, Call, Choice, Decision, Event, LogNode, Loop, Place, decisions
from dtlint.machine.run import Run

KINDS = ("collective", "p2p", "device-collective")
MOST = 12  # trails shown for one line


@dataclass(frozen=True, slots=True)
class Site:
    """One call by which ranks communicate. `guards` are the decisions above it that not every rank takes alike."""

    path: str
    line: int
    call: str
    op: str
    group: str
    function: str
    guards: tuple[str, ...]


def collective_sites(runs: Iterable[Run]) -> list[Site]:
    """Every place where ranks communicate, once, in the order of the files."""
    found: dict[tuple[str, int, int, str], tuple[Event, dict[str, None]]] = {}
    for run in runs:
        for node, path in run.walk():
            if isinstance(node, Event) and node.kind in KINDS:
                _, guards = found.setdefault((node.path, node.at[0], node.at[1], node.op), (node, {}))
                guards.update(dict.fromkeys(guard_text(one) for one in chain(node, path) if one.cause is not None))
    return [
        Site(path, line, spoken(event), op, group_of(event), event.function, tuple(guards))
        for (path, line, _, op), (event, guards) in sorted(found.items(), key=lambda entry: entry[0])
    ]


def why(runs: Iterable[Run], path: str, line: int) -> list[tuple[Step, ...]]:
    """The ways on which a difference between ranks reaches a line: shortest first, each told once."""
    trails: dict[tuple[Step, ...], None] = {}
    for run in runs:
        for node, above in run.walk():
            for trail in trails_at(node, above, path, line):
                trails.setdefault(trail)
    return sorted(trails, key=lambda trail: (len(trail), [(step.path, step.line) for step in trail]))[:MOST]


def trails_at(node: LogNode, above: tuple[LogNode, ...], path: str, line: int) -> Iterator[tuple[Step, ...]]:
    here = node_place(node)
    on_line = here is not None and node_path(node) == path and covers(here, line)
    for decision in chain(node, above):
        if decision.cause is None:
            continue
        steps = (*decision.cause.steps(), Step.of(decision, f"decides on `{decision.text}`"))
        if on_line:
            what = spoken(node) if isinstance(node, Event) else f"`{node.function}`" if isinstance(node, Call) else ""
            yield once((*steps, Step(path, line, f"{what} is reached below that decision" if what else "is reached")))
        elif decision.path == path and decision.at[0] == line:
            yield once(steps)
        else:
            for number, step in enumerate(steps[:-1], 1):
                if (step.path, step.line) == (path, line):
                    yield once(steps[:number])
    if on_line and isinstance(node, Choice | Loop) and node.cause is not None:
        decision = node.decision
        yield once((*node.cause.steps(), Step.of(decision, f"decides on `{decision.text}`")))


def chain(node: LogNode, above: tuple[LogNode, ...]) -> Iterator[Decision]:
    """The decisions over a node, innermost first, through the calls above it."""
    yield from decisions(node.guards)
    for one in reversed(above):
        if isinstance(one, Call):
            yield from decisions(one.guards)


def once(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(dict.fromkeys(steps))


def covers(place: Place, line: int) -> bool:
    return place[0] <= line <= max(place[0], place[2])


def node_place(node: LogNode) -> Place | None:
    return node.at if isinstance(node, Event | Call | Attempt) else node.decision.at


def node_path(node: LogNode) -> str:
    return node.path if isinstance(node, Event | Call | Attempt) else node.decision.path


def guard_text(decision: Decision) -> str:
    kind = decision.cause.kind if decision.cause is not None else ""
    return f"{decision.text} (line {decision.at[0]}, {kind})"


def group_of(event: Event) -> str:
    axes: Any = event.extra.get("axes") or event.extra.get("axis")
    if axes:
        return f"axis {', '.join(map(str, axes)) if isinstance(axes, list | tuple | frozenset) else axes}"
    return event.group.name if event.group is not None else "unknown group"


def spoken(event: Event) -> str:
    name = event.api.rpartition(".")[2]
    return f"{name}()" if name and not name.startswith("__") else event.op
