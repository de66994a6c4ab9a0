"""How is a divergence told: at which line, in which words, with which trail and rank table?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dtlint.findings import Cell, Step, Timeline, TimelineRow
from dtlint.machine.lanes import name_lanes
from dtlint.machine.logs import CAUGHT, EXITS, Call, Decision, Event, Place, decisions
from dtlint.machine.run import Run
from dtlint.timeline.ranks.parting import Divergence, Path
from dtlint.timeline.records import calls_around, ways_down

PLAIN = {
    "wrap": "the model wrapper's constructor",
    "forward": "the wrapped model's forward",
    "backward": "the gradient reduction of backward()",
    "next turn": "the next turn of the loop",
}


LATER = {  # what was registered to run later, and comes to one rank: on what it runs, whose it is then
    "signal": ("runs when a signal comes, to each rank at a time of its own", "the rank that got the signal"),
    "exit": ("runs when a process ends; a rank that fails runs it alone", "the rank that failed"),
    "finaliser": ("runs when a rank collects its garbage", "the rank that collects its garbage"),
}


@dataclass(frozen=True, slots=True)
class Site:
    path: str
    at: Place
    scope: str


def short(event: Event) -> str:
    """The call as people say it: `barrier()`."""
    text = spoken(event)
    return text if event.op in PLAIN else f"`{text}`"


def site_under(decision: Decision | None, event: Event, path: Path) -> Site:
    """The call an author would move: the outermost one below the decision, in the decision's own function."""
    if decision is not None:
        decorated = decision.text.startswith("@")  # the call is right there, what the function does is not
        wrapper: Call | None = None
        for node in calls_around(event, path):
            if any(one is decision for one in decisions(node.guards)):
                if decorated:
                    return below(node, event, path)
                if "<locals>" in node.caller and node.caller == decision.function:
                    wrapper = node  # it calls what it was given: its author is not to blame
                    continue
                return Site(node.path, node.at, node.caller)
        if wrapper is not None:
            return below(wrapper, event, path)
    return Site(event.path, event.at, event.function)


def below(call: Call, event: Event, path: Path) -> Site:
    """The first call inside a guarded function."""
    first = next(iter(calls_around(event, path[path.index(call) + 1 :])), None)
    return Site(first.path, first.at, first.caller) if first is not None else Site(event.path, event.at, event.function)


def path_steps(event: Event, path: Path, start: Site) -> list[Step]:
    """The calls that lead from the reported line to the event."""
    steps = []
    begun = False
    for node in calls_around(event, path):
        if (node.path, node.at) == (start.path, start.at):
            begun = True
        if begun:
            steps.append(Step.of(node, f"calls `{node.function}`"))
    entered = (
        "runs on the devices of all hosts"
        if event.op == "launch"
        else "is entered by every rank of its group or by none"
    )
    steps.append(Step.of(event, f"{short(event)} {entered}"))
    return steps


def calls_below(divergence: Divergence) -> Iterator[Call]:
    """The calls on the way from what failed to what is told."""
    path, attempt = divergence.path, divergence.attempt
    return (node for node in path[path.index(attempt) + 1 :] if isinstance(node, Call)) if attempt in path else iter(())


def trail_of(divergence: Divergence, start: Site) -> tuple[Step, ...]:
    steps: list[Step] = []
    if divergence.cause is not None:
        steps.extend(divergence.cause.steps())
    if divergence.decision is not None:
        steps.extend(decision_steps(divergence.decision))
    if divergence.shape == "argument":
        steps.extend(ways_down(divergence.event, divergence.path))
    steps.extend(failure_steps(divergence))
    steps.extend(Step.of(node, f"calls `{node.function}`") for node in calls_below(divergence))
    steps.extend(path_steps(divergence.event, divergence.path, start))
    steps.extend(
        Step.of(one, f"{short(one)} is behind the same decision")
        for one in divergence.further
        if (one.path, one.at) != (divergence.event.path, divergence.event.at)
    )
    other = divergence.other if divergence.shape in ("argument", "order") else None
    if other is not None and (other.path, other.at) != (start.path, start.at):
        steps.append(Step.of(other, f"other ranks come to {short(other)} here"))
    return tuple(steps)


def failure_steps(divergence: Divergence) -> Iterator[Step]:
    """How one rank gets where the others do not: it fails, or runs alone what was registered for later."""
    attempt = divergence.attempt
    if attempt is None:
        return
    if attempt.kind in LATER:
        yield Step.of(attempt, f"registered here: it {LATER[attempt.kind][0]}")
        return
    yield Step.of(attempt, "a rank that fails in here leaves the body")
    if divergence.handler is not None:
        yield Step(attempt.path, divergence.handler.at[0], "and comes here, alone")


def alone(divergence: Divergence) -> str:
    """Who comes to the handler?"""
    kind = divergence.attempt.kind if divergence.attempt is not None else ""
    return LATER[kind][1] if kind in LATER else "the rank that failed"


def decision_steps(decision: Decision) -> Iterator[Step]:
    yield Step.of(decision, decided(decision))
    if decision.exit_at is not None and decision.exit_word:
        yield Step(decision.path, decision.exit_at[0], f"`{spoken_exit(decision.exit_word)}` on these ranks")


def spoken_exit(word: str) -> str:
    return "exit" if word in EXITS else "raise" if word == CAUGHT else word


def decided(decision: Decision) -> str:
    kind = decision.cause.kind if decision.cause is not None else ""
    by = f", which differs by {kind}" if kind else ""
    if decision.kind == "loop":
        return f"`{decision.text}` may turn a different number of times on each rank"
    return f"decides on `{decision.text}`{by}"


def does(whom: str, one: str, several: str) -> str:
    """`rank 0 waits`, `ranks 1-3 wait`."""
    return f"{whom} {one if whom.startswith(('rank ', 'a part')) else several}"


def timeline_of(run: Run, divergence: Divergence) -> Timeline:
    """Two columns: those that wait, those that never come."""
    world = run.world
    decision, event, other = divergence.decision, divergence.event, divergence.other
    certain = divergence.shape in ("guarded", "exit", "order", "trip") and divergence.here and divergence.absent
    certain = bool(certain and divergence.here != divergence.absent)
    if divergence.shape == "argument" and divergence.absent:
        columns: tuple[str, ...] = (
            name_lanes(divergence.here, world) or "the root",
            name_lanes(divergence.absent, world),
        )
    elif divergence.shape == "argument":
        columns = ("rank 0", "other ranks")
    elif divergence.shape in ("handler", "swallowed"):
        columns = (alone(divergence), "the others")
    elif certain:
        columns = (name_lanes(divergence.here, world), name_lanes(divergence.absent, world))
    else:
        columns = ("some ranks", "the others")
    rows: list[TimelineRow] = []

    def row(path: str, line: int, text: str, left: Cell, right: Cell, sequence: int = 0) -> None:
        rows.append(TimelineRow(sequence, path, line, text, (left, right)))

    name = spoken(event)
    if divergence.shape in ("handler", "swallowed"):
        attempt = divergence.attempt
        if attempt is not None:
            begins = (f"{attempt.kind}:", Cell.TAKEN) if attempt.kind in LATER else ("try:", Cell.FAILED)
            row(attempt.path, attempt.at[0], *begins, Cell.RUNS)
        if divergence.shape == "handler":
            row(event.path, event.at[0], spoken(event), Cell.WAITS, Cell.NEVER, 1)
            outcome = f"hang: {columns[0]} waits in {name}, the others are elsewhere"
        else:
            row(event.path, event.at[0], spoken(event), Cell.NEVER, Cell.WAITS, 1)
            outcome = f"hang: the others wait in {name}, {columns[0]} has gone on without it"
        return Timeline(columns, tuple(rows), outcome)
    if divergence.shape == "argument" and divergence.absent:
        row(event.path, event.at[0], spoken(event), Cell.PAIRS, Cell.FAILED, 1)
        outcome = f"crash: the `{divergence.argument}` of {name} is no member of the group of {columns[1]}"
        return Timeline(columns, tuple(rows), outcome)
    if divergence.shape == "argument":
        row(event.path, event.at[0], spoken(event), Cell.PAIRS, Cell.PAIRS, 1)
        return Timeline(
            columns, tuple(rows), f"SIZE_OR_SYNTAX_MISMATCH: `{divergence.argument}` of {name} differs between ranks"
        )
    if decision is not None:
        taken_here = bool(decision.taken & divergence.here) and decision.taken != decision.before
        if decision.kind == "loop":
            row(decision.path, decision.at[0], decision.text, Cell.TAKEN, Cell.LEFT)
        elif decision.kind == "exit" or decision.exit_word:
            row(decision.path, decision.at[0], f"if {decision.text}:", Cell.SKIPPED, Cell.TAKEN)
            place = decision.exit_at or decision.at
            word = spoken_exit(decision.exit_word) or "leaves"
            row(decision.path, place[0], word, Cell.NOTHING, Cell.TAKEN if word == "continue" else Cell.LEFT)
        else:
            left, right = (Cell.TAKEN, Cell.SKIPPED) if taken_here or not certain else (Cell.SKIPPED, Cell.TAKEN)
            row(decision.path, decision.at[0], f"if {decision.text}:", left, right)
    row(event.path, event.at[0], spoken(event), Cell.WAITS, Cell.NEVER, 1)
    met = elsewhere(divergence) if certain else other
    if met is not None:
        row(met.path, met.at[0], spoken(met), Cell.NEVER, Cell.WAITS, 1)
        outcome = meeting(event, met, columns)
    else:
        gone = does(columns[1], "never comes", "never come")
        outcome = f"hang: {does(columns[0], 'waits', 'wait')} in {name} until the group times out, {gone}"
    return Timeline(columns, tuple(rows), outcome)


def elsewhere(divergence: Divergence) -> Event | None:
    """Where those are who do not come: in the call that takes its place, or the next one that all ranks make."""
    other = divergence.other
    if other is not None and (divergence.shape == "order" or other.op != divergence.event.op):
        return other
    return divergence.between[0] if divergence.between is not None else None


def meeting(event: Event, met: Event, columns: tuple[str, ...]) -> str:
    """Two calls that were not made for each other: what comes of it?"""
    here, there = f"{does(columns[0], 'waits', 'wait')} in {spoken(event)}", f"{columns[1]} in {spoken(met)}"
    one_group = event.group is not None and met.group is not None and event.group.members == met.group.members
    if event.op == met.op and one_group:
        here, there = f"{here} of line {event.at[0]}", f"{there} of line {met.at[0]}"
        return f"wrong pair: {here}, {there}: these meet, though neither is meant for the other"
    return f"hang: {here}, {there}, until the group times out"


def spoken(event: Event) -> str:
    name = event.extra.get("program") or event.api.rpartition(".")[2]
    if event.op in PLAIN:
        return PLAIN[event.op]
    if name == "__call__" and event.kind == "record":
        return event.api.split(".")[-2]
    return f"{name}()" if name and name != "__call__" else event.op


def lanes_of(run: Run, divergence: Divergence) -> tuple[str, ...]:
    if divergence.here and divergence.absent and divergence.here != divergence.absent:
        return (name_lanes(divergence.here, run.world), name_lanes(divergence.absent, run.world))
    return ()
