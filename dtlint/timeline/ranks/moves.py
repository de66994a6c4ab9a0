"""Which point-to-point calls and meetings does each lane make, one after the other, as far as that can be told?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dtlint.machine.contents.items import COUNTED
from dtlint.machine.lanes import lanes_in
from dtlint.machine.logs import Call, Choice, Event, Log, LogNode, Loop, inner_logs
from dtlint.machine.run import Run
from dtlint.machine.values import NONE, Const, Value, lane_value

ANY = -1
NOBODY = -2
NEAR = 2
SENDS = ("send", "isend")
RECEIVES = ("recv", "irecv")
MOST = 400
SIDES = 3


class Unsure(Exception):
    """The play cannot go on for certain."""


@dataclass(slots=True)
class Move:
    """One call of one lane."""

    event: Event
    path: tuple[LogNode, ...]
    kind: str  # send | recv | meet
    blocking: bool
    peer: int = ANY
    tag: object = 0
    members: int = 0
    met: bool = False


def moves_of(run: Run, log: Log, lane: int, taken: dict[int, bool], path: tuple[LogNode, ...]) -> list[Move]:
    moves: list[Move] = []
    for node in log.nodes:
        if not node.mask >> lane & 1:
            continue
        if len(moves) > MOST:
            raise Unsure
        inner = (*path, node)
        if isinstance(node, Event):
            moves.extend(move_of(run, node, lane, path))
        elif isinstance(node, Call):
            moves.extend(moves_of(run, node.log, lane, taken, inner))
        elif isinstance(node, Choice):
            if id(node) in taken:
                if node.cause is not None:
                    raise Unsure
                moves.extend(moves_of(run, node.then if taken[id(node)] else node.other, lane, taken, inner))
        elif isinstance(node, Loop):
            if talks(node.body, set()):
                moves.append(Move(Event("loop", "", "", node.mask, None, "", (0, 0, 0, 0), ""), inner, "loop", True))
        else:
            if any(talks(handler.log, set()) for handler in node.handlers):
                raise Unsure
            moves.extend(moves_of(run, node.body, lane, taken, inner))
            if node.final is not None:
                moves.extend(moves_of(run, node.final, lane, taken, inner))
    return moves


def move_of(run: Run, event: Event, lane: int, path: tuple[LogNode, ...]) -> list[Move]:
    if event.kind == "collective":
        if event.group is None or event.asynchronous or event.implicit:
            return []
        members = event.group.members[lane] & ranks_meant(run)
        return [Move(event, path, "meet", True, members=members)] if members else []
    if event.kind != "p2p":
        return []
    if event.op not in (*SENDS, *RECEIVES):
        raise Unsure
    peer = dict(event.details).get("peer")
    kind = "send" if event.op in SENDS else "recv"
    number = ANY
    if peer is not None and peer != NONE:
        number = rank_in(run, lane_value(peer, lane), lane)
    elif kind == "send":
        raise Unsure
    return [Move(event, path, kind, event.op in ("send", "recv"), number, tag_of(event, lane))]


def ranks_meant(run: Run) -> int:
    """The lanes a program is written for: one that names every peer by its number is for that many ranks."""
    known: int | None = run.cache.get("ranks meant")
    if known is None:
        calls: list[tuple[int, Event, tuple[LogNode, ...]]] = []
        gather(run.log, run.world.full, (), calls, set())
        peers = [dict(event.details).get("peer") for _, event, _ in calls]
        numbers = [peer.value for peer in peers if isinstance(peer, Const) and isinstance(peer.value, int)]
        literal = len(numbers) == len(calls) and not any(peer.scale for peer in peers if isinstance(peer, Const))
        if literal and COUNTED in run.facts:
            places = {(lane, event.path, event.at) for lane, event, _ in calls}
            literal = len(places) == len(calls)  # peers that a loop goes through are written nowhere
        known = run.world.full & ((1 << max(2, max(numbers, default=0) + 1)) - 1) if literal else run.world.full
        run.cache["ranks meant"] = known
    return known


def rank_in(run: Run, value: Value, lane: int) -> int:
    """The peer; a neighbour beyond the last rank is nobody, whatever the size of the world."""
    if isinstance(value, Const) and isinstance(value.value, int):
        if 0 <= value.value < run.world.size:
            return int(value.value)
        if value.scale == "rank" and abs(value.value - lane) <= NEAR:
            return NOBODY
    raise Unsure


def tag_of(event: Event, lane: int) -> object:
    given = event.extra.get("tag")
    if given is None:
        return 0
    held = lane_value(given, lane)
    return held.value if isinstance(held, Const) else ANY


def pairs(lane: int, move: Move, other: int, waiting: Move) -> bool:
    if {move.kind, waiting.kind} != {"send", "recv"}:
        return False
    if move.peer not in (other, ANY) or waiting.peer not in (lane, ANY):
        return False
    if ANY not in (move.tag, waiting.tag) and move.tag != waiting.tag:
        return False
    return same_group(move.event, waiting.event)


def same_group(one: Event, other: Event) -> bool:
    if one.group is None or other.group is None:
        return True
    return one.group.members == other.group.members


def talks(log: Log, seen: set[int]) -> bool:
    """Is there a point-to-point call anywhere below?"""
    if id(log) in seen:
        return False
    seen.add(id(log))
    for node in log.nodes:
        if isinstance(node, Event):
            if node.kind == "p2p":
                return True
        elif any(talks(inner, seen) for inner in inner_logs(node)):
            return True
    return False


def gather(
    log: Log,
    mask: int,
    path: tuple[LogNode, ...],
    calls: list[tuple[int, Event, tuple[LogNode, ...]]],
    seen: set[tuple[int, int]],
) -> None:
    """Every point-to-point call with each lane that may make it."""
    if (id(log), mask) in seen or len(calls) > MOST:
        return
    seen.add((id(log), mask))
    for node in log.nodes:
        lanes = node.mask & mask
        if isinstance(node, Event):
            if node.kind == "p2p":
                calls.extend((lane, node, path) for lane in lanes_in(lanes))
        elif lanes:
            for inner in inner_logs(node):
                gather(inner, lanes, (*path, node), calls, seen)


def choices_of(log: Log, found: list[Choice], seen: set[int]) -> list[Choice]:
    """The undecided branches with point-to-point calls in them, loops not looked into."""
    if id(log) in seen:
        return found
    seen.add(id(log))
    for node in log.nodes:
        if isinstance(node, Event | Loop):
            continue
        inner = [part for part in inner_logs(node) if talks(part, set())]
        if isinstance(node, Choice) and inner and not any(node is known for known in found):
            found.append(node)
        for part in inner:
            choices_of(part, found, seen)
    return found


def sides(choices: list[Choice]) -> Iterator[dict[int, bool]]:
    """Every way through branches that all lanes take alike."""
    if len(choices) > SIDES:
        raise Unsure
    for number in range(1 << len(choices)):
        yield {id(choice): bool(number >> index & 1) for index, choice in enumerate(choices)}
