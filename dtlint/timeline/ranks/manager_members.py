"""Do all members of a manager take part in its rounds?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dtlint.machine.logs import Decision, Event, LogNode, decisions
from dtlint.machine.run import Run
from dtlint.machine.values import BY_PROCESS, Const, Object
from dtlint.timeline.ranks.managers import number_of
from dtlint.timeline.records import recorded


@dataclass(frozen=True, slots=True)
class Apart:
    """A manager's collective that only some of its members reach."""

    event: Event
    here: int
    absent: int
    decision: Decision


def apart(run: Run) -> Iterator[Apart]:
    """Collectives of a manager which a decision by rank keeps from some of the ranks that made it. To ask for a quorum
    and whether a step is good, all ranks of a replica group have to come, too."""
    joined = members_by_quorum(run)
    events = [one for one in recorded(run, "managed", "asked", "quorum") if number_of(one[0]) is not None]
    together: dict[tuple[int, str], int] = {}
    for event, path in events:
        assert isinstance(event.subject, Object)
        which, here = (event.subject.number, event.op), reached(event, path)
        if here != joined.get(event.subject.number, event.subject.birth):  # what all do makes up for nothing left out
            together[which] = together.get(which, 0) | here
    seen: set[object] = set()
    for event, path in events:
        assert isinstance(event.subject, Object)
        members, here = joined.get(event.subject.number, event.subject.birth), reached(event, path)
        missing = members & ~together.get((event.subject.number, event.op), members)
        decision = decision_over(event, path, members)
        if missing and decision is not None and (decision.path, decision.at) not in seen:
            seen.add((decision.path, decision.at))
            yield Apart(event, here, missing, decision)


def members_by_quorum(run: Run) -> dict[int, int]:
    """Where each replica group is one process, it needs nobody else of its own: who asks for the quorum, or whether a
    step is good, takes part."""
    joined: dict[int, int] = {}
    for event, path in recorded(run, "quorum", "asked"):
        number, manager = number_of(event), event.subject
        made = manager.facts.get("call") if isinstance(manager, Object) else None  # None: somebody else has made it
        if number is not None and made is not None and made.get("world_size") == Const(1):
            joined[number] = joined.get(number, 0) | reached(event, path)
    return joined


def reached(event: Event, path: tuple[LogNode, ...]) -> int:
    mask = event.mask
    for node in path:
        mask &= node.mask
    return mask


def decision_over(event: Event, path: tuple[LogNode, ...], members: int) -> Decision | None:
    for chain in (event.guards, *(node.guards for node in reversed(path))):
        for decision in decisions(chain):
            by_rank = decision.cause is not None and decision.cause.kind in BY_PROCESS
            if by_rank and decision.taken & members and decision.before & members & ~decision.taken:
                return decision
    return None
