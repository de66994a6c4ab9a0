"""Does every message that is sent arrive? Every way through the branches is played by itself."""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.findings import Step
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.logs import Choice, Event, LogNode
from dtlint.machine.run import Run
from dtlint.machine.starts.entries import GIVEN_TO_SOME
from dtlint.machine.values import Symbol
from dtlint.timeline.ranks.explain import decision_steps
from dtlint.timeline.ranks.moves import (
    ANY,
    RECEIVES,
    SENDS,
    SIDES,
    Move,
    Unsure,
    choices_of,
    gather,
    move_of,
    pairs,
    ranks_meant,
    sides,
    talks,
)
from dtlint.timeline.ranks.parting import chain
from dtlint.timeline.ranks.play import Deadlock, Unpaired, halves, play
from dtlint.timeline.ranks.tallies import too_often
from dtlint.timeline.ranks.untold import given_away
from dtlint.timeline.records import recorded, ways_down


def unpaired(run: Run) -> list[Unpaired]:
    """The calls of a run that never meet their partner."""
    if not talks(run.log, set()) or any(given_away(path) for _, path in recorded(run, "<p2p>")):
        return []  # how often a function is called that was handed to somebody unknown, nobody can say
    if run.facts.get(GIVEN_TO_SOME):
        return []  # the other half stands in what other ranks were given
    whole = run.entry.kind == "script"
    found: dict[tuple[object, ...], Unpaired] = {}
    if whole:
        for one in halves(alone(run)):
            found.setdefault((one.event.path, one.event.at, one.reason), one)
        if found:
            return list(found.values())
    variants = choices_of(run.log, [], set())
    if len(variants) > SIDES:
        return list(too_often(run)) if whole else []
    if not whole and any(map(may_part, asked_above(run))):
        return []
    for taken in sides(variants):
        try:
            for one in play(run, run.log, taken, whole):
                found.setdefault((one.event.path, one.event.at, one.reason), one)
        except Deadlock as dead:
            for one in dead.found:
                found.setdefault((one.event.path, one.event.at, one.reason), one)
        except Unsure:
            continue
    return list(found.values()) or (list(too_often(run)) if whole else [])


def asked_above(run: Run) -> Iterator[Choice]:
    for _, path in recorded(run, "<p2p>"):
        yield from (node for node in path if isinstance(node, Choice))


def may_part(choice: Choice) -> bool:
    """`if number == 0: send(…)` in a function that is given the number: it may be that of the rank."""
    return choice.symbol is not None and any(
        one.key[0].startswith("compare") and any(type(part) is int for part in one.key[1:]) and of_caller(one)
        for one in symbols_in(choice.symbol)
    )


def of_caller(symbol: Symbol) -> bool:
    return any(one.key[0] == "parameter" for one in symbols_in(symbol))


def trail_of(run: Run, found: Unpaired) -> Iterator[Step]:
    """The way to the call that waits, and what keeps its peer from the other half."""
    event, peer = found.event, found.peer
    yield from ways_down(event, found.path)
    yield Step.of(event, f"rank {found.lane} calls `{event.api.rpartition('.')[2]}()`")
    for lane, other in found.others:
        yield Step.of(other, f"rank {lane} is here at that moment")
    half = RECEIVES if event.op in SENDS else SENDS
    for node, path in recorded(run, "<p2p>") if peer >= 0 else ():
        if node.op in half and found.reason == "more" and node.mask >> peer & 1:
            yield from ways_down(node, path)
            yield Step.of(node, f"rank {peer} makes the other half here")
        elif node.op in half and not node.mask >> peer & 1:
            for decision in chain(node, path):
                if decision.before >> peer & 1 and not decision.taken >> peer & 1:
                    yield from decision_steps(decision)
                    yield Step.of(node, f"rank {peer} does not come here")


def alone(run: Run) -> list[Unpaired]:
    """Calls that no call of the other rank could ever meet, whatever the order and however often."""
    calls: list[tuple[int, Event, tuple[LogNode, ...]]] = []
    gather(run.log, ranks_meant(run), (), calls, set())
    ends: list[tuple[int, Move | None]] = []
    for lane, event, path in calls:
        try:
            ends.extend((lane, move) for move in move_of(run, event, lane, path))
        except Unsure:
            ends.append((lane, None))
    vague = {lane for lane, move in ends if move is None}
    found = []
    for lane, move in ends:
        if move is None or move.peer == ANY or move.peer in vague:
            continue
        if not any(other == move.peer and two is not None and could(lane, move, other, two) for other, two in ends):
            found.append(Unpaired(move.event, move.path, lane, move.peer, "unmatched"))
    return found


def could(lane: int, move: Move, other: int, two: Move) -> bool:
    return other != lane and pairs(lane, move, other, two)
