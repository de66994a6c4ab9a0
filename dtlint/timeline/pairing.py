"""Does every message that is sent arrive, and can everybody get on?

The point-to-point calls of each lane are played against each other, as blocking calls would meet: a send waits for its
receive, a receive for its send, non-blocking ones wait at the end only, collectives meet when all members are there.
Whatever cannot be told for certain (a peer nobody knows, a branch that lanes decide for themselves, a loop whose turns
do not balance) ends the play without a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dtlint.machine.items import COUNTED
from dtlint.machine.lanes import lanes_in
from dtlint.machine.logs import Attempt, Call, Choice, Event, Log, LogNode, Loop
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


@dataclass(slots=True)
class Unpaired:
    """A call that never meets its partner: `reason` is unmatched (there is none) or cycle (all wait for each other)."""

    event: Event
    path: tuple[LogNode, ...]
    lane: int
    peer: int
    reason: str
    others: tuple[tuple[int, Event], ...] = ()


def unpaired(run: Run) -> list[Unpaired]:
    """The calls of a run that never meet their partner."""
    if not talks(run.log, set()):
        return []
    whole = run.entry.kind == "script"
    found: dict[tuple[object, ...], Unpaired] = {}
    if whole:
        for one in halves(alone(run)):
            found.setdefault((one.event.path, one.event.at, one.reason), one)
        if found:
            return list(found.values())
    variants = choices_of(run.log, [], set())
    if len(variants) > SIDES:
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
    return list(found.values())


def talks(log: Log, seen: set[int]) -> bool:
    """Is there a point-to-point call anywhere below?"""
    if id(log) in seen:
        return False
    seen.add(id(log))
    for node in log.nodes:
        if isinstance(node, Event):
            if node.kind == "p2p":
                return True
        elif any(talks(inner, seen) for inner in logs_of(node)):
            return True
    return False


def logs_of(node: LogNode) -> tuple[Log, ...]:
    if isinstance(node, Call):
        return (node.log,)
    if isinstance(node, Choice):
        return (node.then, node.other)
    if isinstance(node, Loop):
        return (node.body,)
    if isinstance(node, Attempt):
        return (node.body, *(handler.log for handler in node.handlers), *((node.final,) if node.final else ()))
    return ()


def choices_of(log: Log, found: list[Choice], seen: set[int]) -> list[Choice]:
    """The undecided branches with point-to-point calls in them, loops not looked into."""
    if id(log) in seen:
        return found
    seen.add(id(log))
    for node in log.nodes:
        if isinstance(node, Event | Loop):
            continue
        inner = [part for part in logs_of(node) if talks(part, set())]
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


# --- calls nobody answers --------------------------------------------------------------------------------------


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
            for inner in logs_of(node):
                gather(inner, lanes, (*path, node), calls, seen)


# --- from logs to moves ----------------------------------------------------------------------------------------


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


# --- the play --------------------------------------------------------------------------------------------------


def play(run: Run, log: Log, taken: dict[int, bool], whole: bool) -> list[Unpaired]:
    meant = ranks_meant(run)
    lanes = [moves_of(run, log, lane, taken, ()) if meant >> lane & 1 else [] for lane in range(run.world.size)]
    return Play(run, lanes, whole).verdict()


class Play:
    """One lane's list of moves beside the other; `at` says how far each has come."""

    def __init__(self, run: Run, lanes: list[list[Move]], whole: bool) -> None:
        self.run = run
        self.lanes = lanes
        self.whole = whole
        self.at = [0] * len(lanes)
        self.open: list[tuple[int, Move]] = []  # non-blocking calls that have not met yet

    def current(self, lane: int) -> Move | None:
        moves = self.lanes[lane]
        return moves[self.at[lane]] if self.at[lane] < len(moves) else None

    def verdict(self) -> list[Unpaired]:
        going = True
        while going:
            going = False
            for lane in range(len(self.lanes)):
                going = self.advance(lane) or going
        return self.stuck()

    def advance(self, lane: int) -> bool:
        move = self.current(lane)
        if move is None:
            return False
        if move.kind == "loop":
            return self.loop(move)
        if move.kind == "meet":
            return self.meet(lane, move)
        if not move.blocking:
            self.at[lane] += 1
            if not self.match(lane, move):
                self.open.append((lane, move))
            return True
        if move.met or self.match(lane, move):
            self.at[lane] += 1
            return True
        return False

    def match(self, lane: int, move: Move) -> bool:
        """The first waiting call on the other side."""
        for index, (other, waiting) in enumerate(self.open):
            if pairs(lane, move, other, waiting):
                del self.open[index]
                waiting.met = move.met = True
                return True
        for other in range(len(self.lanes)):
            waiting_move = self.current(other)
            if other == lane or waiting_move is None or waiting_move.met or not waiting_move.blocking:
                continue
            if waiting_move.kind in ("send", "recv") and pairs(lane, move, other, waiting_move):
                waiting_move.met = move.met = True
                return True
        return False

    def meet(self, lane: int, move: Move) -> bool:
        """A collective: all members must be at one of the same group."""
        for other in lanes_in(move.members):
            there = self.current(other)
            if there is None or there.kind != "meet" or there.members != move.members:
                return False
        for other in lanes_in(move.members):
            self.at[other] += 1
        return True

    def loop(self, move: Move) -> bool:
        """All lanes come to the same loop: one turn is played on its own, and has to balance."""
        node = move.path[-1]
        assert isinstance(node, Loop)
        taking_part = node.mask & ranks_meant(self.run)
        for lane in lanes_in(taking_part):
            there = self.current(lane)
            if there is None or there.kind != "loop" or there.path[-1].__class__ is not Loop:
                return False
            if loop_place(there.path[-1]) != loop_place(node):
                return False
        if self.open or node.cause is not None:
            raise Unsure
        bodies = [there.path[-1] for lane in lanes_in(taking_part) if (there := self.current(lane)) is not None]
        inner = choices_of(node.body, [], set())
        if inner and any(body is not node for body in bodies):
            raise Unsure  # whose branch is whose?
        for taken in sides(inner):
            turn = Play(self.run, [self.turn_of(lane, node, taken) for lane in range(len(self.lanes))], False)
            found = turn.verdict()
            if found and found[0].reason == "cycle" and not turn.finished():
                raise Deadlock(found)
            if not turn.balanced():
                raise Unsure
        for lane in lanes_in(taking_part):
            self.at[lane] += 1
        return True

    def turn_of(self, lane: int, node: Loop, taken: dict[int, bool]) -> list[Move]:
        there = self.current(lane)
        if there is None or not node.mask >> lane & 1:
            return []
        body = there.path[-1]
        assert isinstance(body, Loop)
        return moves_of(self.run, body.body, lane, taken, there.path)

    def finished(self) -> bool:
        """Has any lane come to its end?"""
        return any(self.current(lane) is None and self.lanes[lane] for lane in range(len(self.lanes)))

    def balanced(self) -> bool:
        return not self.open and all(self.current(lane) is None for lane in range(len(self.lanes)))

    def stuck(self) -> list[Unpaired]:
        waiting = {lane: move for lane in range(len(self.lanes)) if (move := self.current(lane)) is not None}
        if any(move.kind == "loop" for move in waiting.values()):
            raise Unsure
        found: list[Unpaired] = []
        for lane, move in waiting.items():
            if move.kind in ("send", "recv") and self.whole and not self.partner_ahead(lane, move):
                found.append(Unpaired(move.event, move.path, lane, move.peer, "unmatched", self.elsewhere(lane, move)))
        found = halves(found)
        if found or not waiting:
            if self.whole and not waiting:
                for lane, move in self.open:
                    found.append(Unpaired(move.event, move.path, lane, move.peer, "unmatched"))
            return found
        cycle = self.cycle(waiting)
        if cycle is None:
            return []
        lane, move = cycle
        return [Unpaired(move.event, move.path, lane, move.peer, "cycle", self.elsewhere(lane, move))]

    def partner_ahead(self, lane: int, move: Move) -> bool:
        """Is there a call, later on the other side, that would meet this one?"""
        for other in range(len(self.lanes)):
            if other == lane:
                continue
            if any(pairs(lane, move, other, one) or one.kind == "loop" for one in self.lanes[other][self.at[other] :]):
                return True
        return False

    def elsewhere(self, lane: int, move: Move) -> tuple[tuple[int, Event], ...]:
        other = self.current(move.peer) if 0 <= move.peer < len(self.lanes) else None
        return ((move.peer, other.event),) if other is not None else ()

    def cycle(self, waiting: dict[int, Move]) -> tuple[int, Move] | None:
        """Lanes that wait for each other, at least one of them in a point-to-point call."""
        for start in sorted(waiting):
            lane, seen = start, []
            while lane in waiting and lane not in seen:
                seen.append(lane)
                following = self.waits_for(lane, waiting[lane])
                if following is None:
                    break
                lane = following
            if lane in seen:
                ring = [one for one in seen[seen.index(lane) :] if waiting[one].kind in ("send", "recv")]
                if ring:
                    first = min(ring)
                    return first, waiting[first]
        return None

    def waits_for(self, lane: int, move: Move) -> int | None:
        if move.kind in ("send", "recv"):
            return move.peer if move.peer != ANY else None
        for other in lanes_in(move.members):
            there = self.current(other)
            if there is None:
                return None
            if there.kind != "meet" or there.members != move.members:
                return other
        return None


def halves(found: list[Unpaired]) -> list[Unpaired]:
    """Two calls that were meant for each other are one mistake: told at the one whose peer is itself, else where
    the message is received."""
    kept: list[Unpaired] = []
    for one in found:
        partner = next((two for two in found if two.lane == one.peer and two is not one), None)
        if partner is not None and weight(partner) > weight(one):
            continue
        kept.append(one)
    return kept


def weight(one: Unpaired) -> tuple[bool, bool, int]:
    return (one.peer == one.lane, one.event.op in RECEIVES, -one.lane)


class Deadlock(Unsure):
    """The first turn of a loop never ends."""

    def __init__(self, found: list[Unpaired]) -> None:
        super().__init__()
        self.found = found


def loop_place(node: LogNode) -> object:
    assert isinstance(node, Loop)
    return (node.decision.path, node.decision.at)


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
