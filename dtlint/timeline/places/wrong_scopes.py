"""Which guard does not fit the place it protects?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.lanes import lanes_in
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.meeting.evidence import distributed
from dtlint.machine.library.python.files import text_of
from dtlint.machine.library.python.folders import all_nodes, of_either
from dtlint.machine.library.training.stepping import attribute_of
from dtlint.machine.logs import Choice, Decision, Event, LogNode, decisions
from dtlint.machine.run import Run
from dtlint.machine.values import BY_RANK, Const, Object, Row, Symbol, Unknown, lane_value
from dtlint.timeline.options import default_for
from dtlint.timeline.places.files import READS, WRITES, Access, accesses, overlap, same_node
from dtlint.timeline.programs import in_a_test
from dtlint.timeline.ranks.arrivals import all_ranks_here, started
from dtlint.timeline.records import recorded


@dataclass(frozen=True, slots=True)
class WrongScope:
    """`kind`: shared (one per node writes a shared place), node (one rank writes a node's own place), absent, lacking
    (what is used here was made under another guard: others hold None or nothing)."""

    kind: str
    event: Event
    lanes: int
    decision: Decision | None
    other: Event | None = None
    told: str = ""
    path: tuple[LogNode, ...] = ()  # down to the event, where callers have their part in it


def wrong_scopes(run: Run) -> Iterator[WrongScope]:
    yield from absent_attributes(run)
    if run.entry.kind == "function" and not in_a_test(run.entry.path):
        yield from (one for one in absent_things(run) if all_ranks_here(run, one.path, one.event))
    if run.entry.kind != "script" or not started(run) or in_a_test(run.entry.path):
        return  # who calls a function nobody calls may know better
    found = accesses(run)
    sources: set[object] = set()
    for access in found:
        if access.kind in ("file-write", "file-delete", "file-rename") and one_per_node(access.mask, run):
            decision = guard(access, ("local rank",))
            places = {access.places[lane] for lane in access.lanes()}
            known = not of_one_machine(run, decision) or on_network(run, access)
            cause = decision.cause if decision is not None else None
            source = cause.steps()[:1] if cause is not None else ()
            if source and source in sources:
                continue  # one wrong rank, many places
            if any(by_choice(access, other) or by_the_rest(access, other) for other in found):
                continue
            if decision is not None and asks_nobody(run, decision):
                continue
            if known and decision is not None and len(places) == 1 and not access.own and says_where(access):
                sources.add(source)
                yield WrongScope("shared", access.event, access.mask, decision)
        elif access.kind in WRITES and bin(access.mask).count("1") == 1:
            decision = guard(access, ("rank",))
            reader = next((one for one in found if decision is not None and elsewhere(run, access, one)), None)
            if reader is not None:
                yield WrongScope(
                    "node", access.event, access.mask, decision, reader.event, "read on every node, each its own"
                )
    yield from absent_things(run)
    for event, path in recorded(run, "main-only"):
        if event.mask & ~1:
            yield WrongScope("missing", event, event.mask & ~1, None, path=path)


def absent_things(run: Run) -> Iterator[WrongScope]:
    """What holds None on the ranks that use it, and was made on others."""
    for event, path in recorded(run, "absent-used"):
        causes = ((one, one.cause) for one in decisions(event.guards))
        decision = next((one for one, cause in causes if cause is not None and cause.kind in BY_RANK), None)
        made = event.extra.get("made")
        yield WrongScope("absent", event, event.mask, decision, made, "made on other ranks only", path)


def by_choice(access: Access, other: Access) -> bool:
    """On the other side of an option the first rank of all writes there: who chose the first of each node has a place
    on each node for it."""
    if other.kind != access.kind or other.mask == access.mask or guard(other, ("rank",)) is None:
        return False
    lane = next(access.lanes())
    return overlap(access.places[lane], other.places[lane]) and on_other_sides(access, other)


def by_the_rest(access: Access, other: Access) -> bool:
    """Do the other ranks come to the same line, on a way of their own? Then no guard is around it."""
    place, elsewhere = (access.event.path, access.event.at), (other.event.path, other.event.at)
    return place == elsewhere and bool(other.mask) and not other.mask & access.mask


def asks_nobody(run: Run, decision: Decision) -> bool:
    """`if is_first_of_node:`: the function itself, which is true everywhere, is no guard at all."""
    place = (decision.path, decision.at[0])
    return any((event.path, event.at[0]) == place for event, _ in recorded(run, "<uncalled>"))


def on_other_sides(first: Access, second: Access) -> bool:
    """Do the two hang on different sides of one branch?"""
    for node, below, other, other_below in zip(
        first.path, (*first.path[1:], first.event), second.path, (*second.path[1:], second.event), strict=False
    ):
        if not isinstance(node, Choice) or not isinstance(other, Choice) or node.decision is not other.decision:
            continue
        if node.then.holds(below) != other.then.holds(other_below):
            return True
    return False


def says_where(access: Access) -> bool:
    """Is anything known of the place? One out of a list that somebody made may well be each node's own."""
    held = lane_value(text_of(access.value), next(access.lanes()))
    if of_either(access.places[next(access.lanes())]):
        return False
    if re.sub(r"<[^<>]*>", "", access.places[next(access.lanes())]).strip("/"):
        return True
    where = held.symbol if isinstance(held, Unknown) else None
    while where is not None and where.key[0] == "path" and isinstance(where.key[1], Symbol):
        where = where.key[1]  # whatever it is called, it is in this folder
    return where is not None and attribute_of(where) is not None


def absent_attributes(run: Run) -> Iterator[WrongScope]:
    """What ranks use that only others have made, below a script or a method that a framework calls on all ranks."""
    whole = run.entry.kind == "script" and started(run)
    failed: set[int] = set()  # objects of which a read has failed: those that would follow are not come to
    for event, path in recorded(run, "absent-attribute"):
        thing = event.subject.number if isinstance(event.subject, Object) else None
        everywhere = whole or event.extra["all"] or for_several(run, event)
        if everywhere and thing not in failed:
            failed.update(() if thing is None else (thing,))
            yield WrongScope("lacking", event, event.mask, None, event.extra["made"], "made on other ranks only", path)


def for_several(run: Run, event: Event) -> bool:
    """A function nobody calls that binds a variable on the first rank, and reads it on the others: it asks who it is
    because others come to it."""
    bound = event.extra.get("bound") and event.mask == run.world.full & ~1
    return bool(bound) and run.entry.kind == "function" and not in_a_test(run.entry.path) and distributed(run)


def on_network(run: Run, access: Access) -> bool:
    """Is this below a folder that all nodes of a cluster share, as far as its name or an option's default tells?"""
    for lane in access.lanes():
        held = lane_value(text_of(access.value), lane)
        if all_nodes(access.places[lane]):
            return True
        for symbol in symbols_in(held.symbol) if isinstance(held, Unknown) else ():
            default = default_for(run, symbol)
            if isinstance(default, Const) and all_nodes(str(default.value)):
                return True
    return False


def of_one_machine(run: Run, asked: Decision | None = None) -> bool:
    """Such a program has no need of the global rank, nor of a cluster's file system; it may take its local rank for
    the rank: `init_process_group(rank=local_rank)`; or the documents start it so, or whatever they start."""
    knows = run.facts.get("global rank") or (asked is not None and tells_both(run, asked))
    told = run.project.started
    if (
        not knows
        or told.on_one_machine(run.entry.path)
        or told.nothing_on_several_machines()
        or run.facts.get("on one machine")
    ):
        return True
    given = (event.extra["call"].get("rank") for event, _ in recorded(run, "init") if "call" in event.extra)
    return any(isinstance(rank, Row) and rank.cause.kind == "local rank" for rank in given)


def tells_both(run: Run, asked: Decision) -> bool:
    """Does the file that asks the environment for the local rank ask for the global one as well?"""
    first = next(iter(asked.cause.steps()), None) if asked.cause is not None else None
    if first is None or first.path not in run.project.paths:
        return False
    variables = run.knowledge.environment
    return any(
        isinstance(node, ir.Const)
        and isinstance(node.value, str)
        and getattr(variables.get(node.value), "value", "") == "rank"
        for node in every_node(run.project.module(first.path).body)
    )


def on_a_second_machine_only(run: Run, mask: int) -> bool:
    """Does it take the first rank of another node than the first, in a program of one machine?"""
    return one_per_node(mask | 1, run) and of_one_machine(run)


def one_per_node(mask: int, run: Run) -> bool:
    """Is it the first of each node? Others among the ranks of a node write in their turn, after the first."""
    return run.world.hosts > 1 and list(lanes_in(mask)) == list(range(0, run.world.size, run.world.per_host))


def guard(access: Access, kinds: tuple[str, ...]) -> Decision | None:
    """The decision, here or in a caller, that lets only these lanes through."""
    chains = [access.event.guards, *(node.guards for node in reversed(access.path))]
    for chain in chains:
        for decision in decisions(chain):
            if decision.cause is not None and decision.cause.kind in kinds and decision.taken != decision.before:
                return decision
    return None


def elsewhere(run: Run, write: Access, read: Access) -> bool:
    """Another node reads a place of its own that was written on the writer's node only."""
    if read.kind not in READS or read.order < write.order:
        return False
    writer = next(iter(write.lanes()))
    return bool(write.own >> writer & 1) and any(
        not same_node(run, writer, lane) and overlap(write.places[writer], read.places[lane]) for lane in read.lanes()
    )
