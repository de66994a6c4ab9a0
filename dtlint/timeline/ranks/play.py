"""Can everybody get on when the calls of all lanes are played against each other?

They meet as blocking calls would: a send waits for its receive, a receive for its send, non-blocking ones wait at the
end only, collectives meet when all members are there. Whatever cannot be told for certain (a peer nobody knows, a
branch that lanes decide for themselves, a loop whose turns do not balance) ends the play without a verdict.
"""

from __future__ import annotations

from dataclasses import dataclass

from dtlint.machine.lanes import lanes_in
from dtlint.machine.logs import Event, Log, LogNode, Loop
from dtlint.machine.run import Run
from dtlint.timeline.ranks.moves import ANY, RECEIVES, Move, Unsure, choices_of, moves_of, pairs, ranks_meant, sides


@dataclass(slots=True)
class Unpaired:
    """A call that never meets its partner. `reason` is unmatched (there is none), cycle (all wait for each other) or
    more (`times` says how often it is made at least, and the other half at most)."""

    event: Event
    path: tuple[LogNode, ...]
    lane: int
    peer: int
    reason: str
    others: tuple[tuple[int, Event], ...] = ()
    times: tuple[int, int] = (0, 0)


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
