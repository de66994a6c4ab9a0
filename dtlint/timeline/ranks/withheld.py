"""Which messages does a rank send, or wait for, as what it alone sees says, while its peer counts on each of them?

The peer makes the other half whatever happens. It knows nothing of the loss, the clock or the draw by which the first
rank decides, and nobody has told it: the ranks exchange nothing else by which it could.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dtlint.findings import Step
from dtlint.machine.logs import Attempt, Choice, Event, Log, LogNode, Loop
from dtlint.machine.run import Run
from dtlint.machine.walks import walk
from dtlint.timeline.ranks.explain import short
from dtlint.timeline.ranks.moves import ANY, Move, Unsure, gather, move_of, pairs, ranks_meant, talks
from dtlint.timeline.ranks.parting import Path
from dtlint.timeline.records import ways_down

OWN = frozenset({"data", "clock", "random", "memory", "queue", "signal"})  # what only the rank itself sees


@dataclass(slots=True)
class Withheld:
    """A call that `lane` makes on one side of a branch only, and the other half that `peer` makes in any case."""

    choice: Choice
    event: Event
    path: Path
    lane: int
    peer: int
    answer: Event
    answer_path: Path


def withheld(run: Run) -> Iterator[Withheld]:
    if run.entry.kind != "script" or not talks(run.log, set()):
        return
    known = [(lane, move) for lane, move in moves(run) if move.peer != ANY]
    told: set[object] = set()
    for node, path in run.walk():
        if not isinstance(node, Choice) or node.cause is None or node.cause.kind not in OWN or node.decision in told:
            continue
        found = next(one_sided(node, path, known), None)
        if found is not None:
            told.add(node.decision)
            yield found


def trail_of(found: Withheld) -> tuple[Step, ...]:
    decision, event, answer = found.choice.decision, found.event, found.answer
    return (
        *(found.choice.cause.steps() if found.choice.cause is not None else ()),
        Step.of(decision, f"rank {found.lane} decides on `{decision.text}`"),
        *ways_down(event, found.path),
        Step.of(event, f"{short(event)} is on one side of it only"),
        *ways_down(answer, found.answer_path),
        Step.of(answer, f"rank {found.peer} comes to {short(answer)} in any case"),
    )


def moves(run: Run) -> Iterator[tuple[int, Move]]:
    calls: list[tuple[int, Event, tuple[LogNode, ...]]] = []
    gather(run.log, ranks_meant(run), (), calls, set())
    for lane, event, path in calls:
        try:
            yield from ((lane, move) for move in move_of(run, event, lane, path))
        except Unsure:
            continue


def one_sided(choice: Choice, path: Path, known: list[tuple[int, Move]]) -> Iterator[Withheld]:
    for side, opposite in ((choice.then, choice.other), (choice.other, choice.then)):
        if not talks(side, set()) or talks(opposite, set()):
            continue
        below = {id(one) for one in messages(side)}
        for lane, move in known:
            if id(move.event) not in below or not choice.mask >> lane & 1:
                continue
            others = [one for whose, one in known if whose == lane and (one.kind, one.peer) == (move.kind, move.peer)]
            if any(id(one.event) not in below for one in others):
                continue  # it may tell the peer of its decision by another message
            answers = [one for whose, one in known if whose == move.peer and pairs(lane, move, whose, one)]
            if answers and all(in_any_case(one.path, path) for one in answers):
                yield Withheld(choice, move.event, move.path, lane, move.peer, answers[0].event, answers[0].path)


def messages(log: Log) -> Iterator[Event]:
    return (node for node, _ in walk(log) if isinstance(node, Event) and node.kind == "p2p")


def in_any_case(path: Path, other: Path) -> bool:
    """Is nothing decided on the way there but what is decided for both? A loop that may end at any time is a decision,
    too."""
    own = [node for node in path if not any(node is shared for shared in other)]
    return not any(isinstance(node, Choice | Attempt) or (isinstance(node, Loop) and unsure(node)) for node in own)


def unsure(loop: Loop) -> bool:
    return loop.kind == "while" or loop.cause is not None
