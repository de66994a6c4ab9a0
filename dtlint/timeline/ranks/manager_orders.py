"""Do the ranks drive several managers in one order?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.findings import Step
from dtlint.machine.lanes import lanes_in
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.managers import NAME
from dtlint.machine.logs import Event
from dtlint.machine.run import Run
from dtlint.machine.values import BY_PROCESS, Const, Object
from dtlint.machine.walks import walk
from dtlint.timeline.ranks.manager_members import reached
from dtlint.timeline.ranks.managers import number_of
from dtlint.timeline.records import recorded, ways_down


def disordered(run: Run) -> Iterator[tuple[Event, str, tuple[Step, ...]]]:
    """Managers that two ranks share, used in an order that may differ between them."""
    for event, _ in recorded(run, "managed"):
        cause = event.extra.get("which")
        if cause is not None and cause.kind in BY_PROCESS:
            steps = cause.steps()
            told = steps[-1] if steps else Step.of(event, "which manager comes first differs by rank")
            yield event, "which manager is used first depends on the rank", (told,)
    yield from in_threads(run)
    yield from in_two_orders(run)
    for event, _ in recorded(run, "crossed-works"):
        begun, other = event.extra["work"].facts["event"], event.extra["other"].facts["event"]
        if managed(begun) and managed(other) and begun.mask != other.mask:
            told = Step.of(other, "still running on the ranks that share both managers")
            yield event, "another manager's collective is still running", (told,)


def in_threads(run: Run) -> Iterator[tuple[Event, str, tuple[Step, ...]]]:
    """A thread drives a manager while another thread of the rank communicates among the same ranks."""
    from dtlint.timeline.ranks.crossing import beside, share, talk

    for event, path in recorded(run, "thread-start"):
        inside = driven(event)
        if not inside:
            continue
        there = Step(inside[0].path, inside[0].at[0], "the second thread is in a manager's collective here")

        def meanwhile(one: Event, start: Event = event, inside: list[Event] = inside) -> bool:
            if one.op == "thread-start":
                return one is not start and not in_turn(one, start) and others(driven(one), inside)
            return managed(one) or (talk(one) and any(share(one, mine) for mine in inside if mine.group is not None))

        main = next(beside(run, event, path, meanwhile), None)
        if main is None:
            continue
        told = (*ways_down(event, path), there)
        if main.op == "thread-start":
            third = driven(main)[0]
            here = Step.of(third, "and a third thread is in one of another manager")
            yield main, "two threads drive managers at the same time", (*told, here)
        elif managed(main):
            here = Step.of(main, "meanwhile this thread is in a collective of a manager, too")
            yield event, "a second thread drives a manager while this one does", (*told, here)
        else:
            here = Step.of(main, "meanwhile this thread communicates with the same ranks")
            yield event, "a second thread drives a manager while this one communicates", (*told, here)


def driven(start: Event) -> list[Event]:
    """The collectives of managers that a thread makes."""
    return [node for node, _ in walk(start.extra["log"]) if isinstance(node, Event) and managed(node)]


def others(one: list[Event], other: list[Event]) -> bool:
    """Is there another manager among them, where both are known?"""
    mine, theirs = {event.group for event in one if event.group}, {event.group for event in other if event.group}
    return bool(mine and theirs) and mine != theirs


def in_turn(one: Event, other: Event) -> bool:
    """Does a pool of a single thread do both?"""
    pool = one.subject
    if pool is not other.subject or not isinstance(pool, Object):
        return False
    made = pool.facts.get("call")
    given = made.get("max_workers") if isinstance(made, Invocation) else None
    return given == Const(1)


ROUND = frozenset({"quorum", "should_commit"})  # what an optimizer's wrapper asks its manager for


def managed(event: Event) -> bool:
    """Does a manager do it? It goes on without a member that has failed."""
    if event.kind != "collective" or event.group is None:
        return False
    return event.group.name == NAME or event.op in ROUND


def in_two_orders(run: Run) -> Iterator[tuple[Event, str, tuple[Step, ...]]]:
    lanes: list[list[Event]] = [[] for _ in range(run.world.size)]
    for event, path in recorded(run, "managed"):
        if number_of(event) is not None:
            for lane in lanes_in(reached(event, path)):
                lanes[lane].append(event)
    for lane, mine in enumerate(lanes):
        for theirs in lanes[lane + 1 :]:
            one, other = [number_of(event) for event in mine], [number_of(event) for event in theirs]
            if one != other and sorted(map(str, one)) == sorted(map(str, other)):
                index = next(at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
                first, second = mine[index], theirs[index]
                told = Step.of(second, "other ranks begin with another manager")
                yield first, "the ranks use the managers in different orders", (told,)
                return
