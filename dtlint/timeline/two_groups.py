"""Do two ranks that meet in two groups meet there in the same order?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.machine.lanes import lanes_in
from dtlint.machine.logs import Call, Event, Log, event_key, first_event, key
from dtlint.machine.run import Run
from dtlint.timeline.parting import Divergence, Path, chain, collect


def crossed(run: Run) -> Iterator[Divergence]:
    """Two ranks that meet in two groups must meet in the same order."""
    groups = block_communicators_of(run.log, run.world.full)
    if len(groups) < 2:
        return
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
