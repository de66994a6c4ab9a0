"""Do ranks that meet in several groups come to them in an order that lets everybody get on?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.machine.lanes import lanes_in
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Attempt, Call, Choice, Event, Log, inner_logs
from dtlint.machine.run import Run
from dtlint.machine.spoken import event_key, first_event, key, talks
from dtlint.machine.values import Cause
from dtlint.timeline.ranks.parting import Divergence, Path, chain, collect


def crossed(run: Run) -> Iterator[Divergence]:
    groups = block_communicators_of(run.log, run.world.full)
    if len(groups) < 2:
        return
    found = next(opposite(run, groups), None)
    if found is not None:
        yield found
    else:
        yield from knotted(run)


def opposite(run: Run, groups: list[int]) -> Iterator[Divergence]:
    """Two ranks that meet in two groups must meet in the same order."""
    for lane in range(run.world.size):
        for other in range(lane + 1, run.world.size):
            shared = frozenset(members for members in groups if members >> lane & 1 and members >> other & 1)
            if len(shared) < 2:
                continue
            mine, theirs = key(run.log, lane, shared), key(run.log, other, shared)
            if mine == theirs:
                continue
            position = next((index for index, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), None)
            if position is None or mine[position] not in theirs or theirs[position] not in mine:
                continue
            found = event_at(run.log, lane, shared, position)
            across = event_at(run.log, other, shared, position)
            if found is None or across is None:
                continue
            decision = next((one for one in chain(found[0], found[1]) if one.separates(lane, other)), None)
            yield Divergence(
                "order",
                decision,
                found[0],
                found[1],
                1 << lane,
                1 << other,
                across[0],
                across[1],
                decision.cause if decision else None,
            )
            return


def knotted(run: Run) -> Iterator[Divergence]:
    """Ranks of several groups that wait for each other in a circle. The calls of the lanes are played against each
    other, one turn of each loop; a call goes on when all members of its group are there."""
    lanes = range(run.world.size)
    try:
        calls = [list(said(run.log, lane, ())) for lane in lanes]
    except Undecided:
        return
    at = [0] * run.world.size

    def group_of(lane: int) -> int:
        if at[lane] >= len(calls[lane]):
            return 0
        group = calls[lane][at[lane]][0].group
        return group.members[lane] if group is not None else 0

    going = True
    while going:
        going = False
        for lane in lanes:
            members = group_of(lane)
            if members and all(group_of(other) == members for other in lanes_in(members)):
                going = True
                for other in lanes_in(members):
                    at[other] += 1
    waits = {
        lane: next((other for other in lanes_in(group_of(lane)) if group_of(other) != group_of(lane)), lane)
        for lane in lanes
        if group_of(lane)
    }
    for first in waits:
        seen, lane = [first], waits[first]
        while lane in waits and lane not in seen:
            seen.append(lane)
            lane = waits[lane]
        if lane != first or len(seen) < 2:
            continue
        (event, path), (across, across_path) = calls[first][at[first]], calls[seen[1]][at[seen[1]]]
        decision = next((one for one in chain(event, path) if one.separates(first, seen[1])), None)
        cause = decision.cause if decision is not None else taken_by(event)
        yield Divergence("order", decision, event, path, 1 << first, 1 << seen[1], across, across_path, cause)
        return


def taken_by(event: Event) -> Cause | None:
    """No branch parts them: why each rank has another group under the same name, as in `pairs[rank]`."""
    call = event.extra.get("call")
    given = call.get("group") if isinstance(call, Invocation) else None
    return given.cause if given is not None else None


class Undecided(Exception):
    """What a lane says next depends on what nobody knows."""


def said(log: Log, lane: int, path: Path) -> Iterator[tuple[Event, Path]]:
    """The calls of one lane that wait for the others, in order."""
    for node in log.nodes:
        if not node.mask >> lane & 1:
            continue
        if isinstance(node, Event):
            if event_key(node, lane, None) not in (None, ("end",)) and not node.asynchronous:
                yield node, path
            continue
        if isinstance(node, Choice):
            if node.cause is not None and (talks(node.then, 1 << lane) or talks(node.other, 1 << lane)):
                raise Undecided
            yield from said(node.then if talks(node.then, 1 << lane) else node.other, lane, (*path, node))
            continue
        for inner in inner_logs(node) if not isinstance(node, Attempt) else (node.body, node.final):
            if inner is not None:
                yield from said(inner, lane, (*path, node))


def block_communicators_of(log: Log, full: int) -> list[int]:
    found: set[int] = set()
    for lane in lanes_in(full):
        collect(key(log, lane), found, full)
    return sorted(found)


def event_at(log: Log, lane: int, groups: frozenset[int], position: int) -> tuple[Event, Path] | None:
    """The event behind the n-th part of a lane's key."""
    count = 0

    def search(inner: Log, path: Path) -> tuple[Event, Path] | None:
        nonlocal count
        for node in inner.nodes:
            if not node.mask >> lane & 1:
                continue
            if isinstance(node, Event):
                if event_key(node, lane, groups) is not None:
                    if count == position:
                        return node, path
                    count += 1
            elif isinstance(node, Call):
                found = search(node.log, (*path, node))
                if found is not None:
                    return found
            else:
                single = Log()
                single.nodes = [node]
                parts = len(key(single, lane, groups))
                if count <= position < count + parts:
                    below = first_event(single, 1 << lane)
                    return (below[0], (*path, node, *below[1])) if below else None
                count += parts
        return None

    return search(log, ())
