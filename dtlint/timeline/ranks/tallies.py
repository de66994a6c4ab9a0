"""How often does each rank send to each other, and how often does the other receive from it, at least and at most?

Whoever waits for more messages than are ever sent waits for good. What is not known (a branch nobody can decide, a
loop that may end early or turns as often as there is data) only widens the bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf

from dtlint.machine.lanes import lanes_in, token
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.logs import FAILS, Attempt, Call, Choice, Event, Log, LogNode, Loop, inner_logs
from dtlint.machine.run import Run
from dtlint.machine.values import Const, Object, Symbol, Unknown, Value, lane_value
from dtlint.timeline.ranks.moves import ANY, Unsure, move_of, ranks_meant, talks
from dtlint.timeline.ranks.play import Unpaired
from dtlint.timeline.symbols import leaves, worth

Bounds = tuple[float, float]
Half = tuple[str, int, object]  # send or recv, the peer, and which call it is
Tally = dict[Half, Bounds]
Path = tuple[LogNode, ...]
UNKNOWN: Tally = {("send", ANY, None): (0, inf), ("recv", ANY, None): (0, inf)}
OTHER = {"send": "recv", "recv": "send"}
LEAVES = frozenset({"break", "return", "exit"})  # who raises an error has come to no good anyway
TRIED = (4, 5, 7, 997)  # a large one as well: the other side may turn some number of times that is known
TURNS = 5000  # that are looked at one by one


def too_often(run: Run) -> Iterator[Unpaired]:
    """Blocking calls that are made more often than the peer makes the other half, if it makes that at all: all in all,
    or in every turn of a loop that both go through, however often that turns, where they speak nowhere else."""
    lanes = [*lanes_in(ranks_meant(run))]
    whole: dict[int, tuple[Log, Path]] = dict.fromkeys(lanes, (run.log, ()))
    together = (dict.fromkeys(lanes, one) for one in loops_of_all(run.log, lanes))
    turning = [*together, *loops_side_by_side(run.log, lanes)]
    for count in (counted_with, with_any_number):
        found = count(run, whole)
        for loops in turning if not found else ():
            turn = {lane: (loop.body, (*path, loop)) for lane, (loop, path) in loops.items()}
            outside = Counting(run, without=[loop for loop, _ in loops.values()])
            others = {lane: outside.of_log(run.log, lane, {}, ()) for lane in lanes}
            found += [one for one in count(run, turn) if not speak(others, one.lane, one.peer)]
        if found:
            return iter(found)
    return iter(())


def with_any_number(run: Run, logs: dict[int, tuple[Log, Path]]) -> list[Unpaired]:
    """What is made too often for several numbers, where the turns of the loops depend on one that nobody knows."""
    number = only_number([log for log, _ in logs.values()])
    if number is None:
        return []
    left = counted_with(run, logs, {number: TRIED[0]})
    for value in TRIED[1:] if left else ():
        again = {(id(one.event), one.lane, one.peer) for one in counted_with(run, logs, {number: value})}
        left = [one for one in left if (id(one.event), one.lane, one.peer) in again]
    return [replace(one, times=(0, 0)) for one in left]


def counted_with(run: Run, logs: dict[int, tuple[Log, Path]], known: dict[Symbol, int] | None = None) -> list[Unpaired]:
    counting = Counting(run, known=known)
    tallies = {lane: counting.of_log(log, lane, counting.known, path) for lane, (log, path) in logs.items()}
    return list(more_made(counting, tallies, [*logs]))


def only_number(logs: list[Log]) -> Symbol | None:
    """`micro` of `range(micro)` and `range(micro - 1)`: what the turns of all loops with messages depend on, where that
    is one number."""
    found: set[Symbol] = set()
    for node in (node for log in {id(log): log for log in logs}.values() for node in below(log)):
        if isinstance(node, Loop) and node.cause is None and isinstance(node.trip, Unknown) and talks(node.body, set()):
            for part in numbers_of(node.trip.symbol):
                found.update(*leaves(part) if isinstance(part, Symbol) else ())
    return found.pop() if len(found) == 1 else None


def more_made(counting: Counting, tallies: dict[int, Tally], lanes: list[int]) -> Iterator[Unpaired]:
    for lane in lanes:
        for peer in lanes:
            for kind in ("recv", "send"):
                made = {half: bounds for half, bounds in tallies[lane].items() if half[:2] == (kind, peer)}
                least = sum(bounds[0] for bounds in made.values())
                meant = [(OTHER[kind], lane), (OTHER[kind], ANY)]
                most = sum(bounds[1] for half, bounds in tallies[peer].items() if half[:2] in meant)
                if 0 < most < least and peer != lane:
                    # the last of those that are made most often: the ones before it may have been answered
                    event, path = counting.calls[max(reversed(made), key=lambda half: made[half][0])]
                    if event.op == kind:
                        yield Unpaired(event, path, lane, peer, "more", times=(int(least), int(most)))


def loops_of_all(
    log: Log, lanes: list[int], path: tuple[LogNode, ...] = ()
) -> Iterator[tuple[Loop, tuple[LogNode, ...]]]:
    """Loops that all ranks turn equally often, nobody knows how often, and go through to their end."""
    for node in log.nodes:
        if not any(talks(inner, set()) for inner in inner_logs(node)):
            continue
        if isinstance(node, Loop) and node.cause is None and turns_of(node, lanes[0]) is None:
            if all(node.mask >> lane & 1 and runs_to_its_end(node, lane) for lane in lanes):
                yield node, path
        for inner in (node.body,) if isinstance(node, Loop) else onward(node):
            yield from loops_of_all(inner, lanes, (*path, node))


def loops_side_by_side(log: Log, lanes: list[int]) -> Iterator[dict[int, tuple[Loop, Path]]]:
    """`for _ in range(updates)` of those who play, and the one of who learns from them: loops that turn equally often,
    or for ever, of which every rank goes through one."""
    alike: dict[object, dict[int, list[tuple[Loop, Path]]]] = {}
    for loop, path in loops_of_some(log, ()):
        turns = "for ever" if loop.decision.endless else token(loop.trip) if isinstance(loop.trip, Unknown) else None
        for lane in lanes if turns is not None else ():
            if loop.mask >> lane & 1:
                alike.setdefault(turns, {}).setdefault(lane, []).append((loop, path))
    for by_lane in alike.values():
        if [*sorted(by_lane)] != lanes or any(len(loops) > 1 for loops in by_lane.values()):
            continue
        loops = {lane: one for lane, (one,) in by_lane.items()}
        several = any(loop is not loops[lanes[0]][0] for loop, _ in loops.values())
        if several and all(runs_to_its_end(loop, lane) for lane, (loop, _) in loops.items()):
            yield loops


def loops_of_some(log: Log, path: Path) -> Iterator[tuple[Loop, Path]]:
    """Loops that some ranks come to for certain, and others do not."""
    for node in log.nodes:
        if not any(talks(inner, set()) for inner in inner_logs(node)):
            continue
        if isinstance(node, Loop) and node.cause is None:
            yield node, path
        for inner in onward(node):
            yield from loops_of_some(inner, (*path, node))


def onward(node: LogNode) -> tuple[Log, ...]:
    """Where all go on that have come here and have not failed."""
    if isinstance(node, Choice) and node.cause is None and any(word in FAILS for word in node.exits):
        answer = answer_to(node, {})
        return () if answer is None else (node.then if answer else node.other,)
    return (node.log,) if isinstance(node, Call) else ()


def speak(tallies: dict[int, Tally], one: int, other: int) -> bool:
    """May one of the two send anything to the other, or wait for it?"""
    return any(half[1] in (peer, ANY) for lane, peer in ((one, other), (other, one)) for half in tallies[lane])


class Counting:
    """Goes through the log of each lane; turns of a loop are told apart where a branch asks for their number."""

    def __init__(self, run: Run, without: Sequence[Loop] = (), known: dict[Symbol, int] | None = None) -> None:
        self.run = run
        self.without = without
        self.known = known or {}  # the number that is tried
        self.left = TURNS + 20 * max(self.known.values(), default=0)
        self.calls: dict[Half, tuple[Event, tuple[LogNode, ...]]] = {}

    def of_log(self, log: Log, lane: int, known: dict[Symbol, int], path: tuple[LogNode, ...]) -> Tally:
        total: Tally = {}
        for node in log.nodes:
            if node.mask >> lane & 1:
                total = added(total, self.of_node(node, lane, known, path))
        return total

    def of_node(self, node: LogNode, lane: int, known: dict[Symbol, int], path: tuple[LogNode, ...]) -> Tally:
        if isinstance(node, Event):
            return self.of_event(node, lane, path) if node.kind == "p2p" else {}
        if any(node is one for one in self.without):
            return {}
        if not any(talks(inner, set()) for inner in inner_logs(node)):
            return {}
        inner = (*path, node)
        if isinstance(node, Call):
            return self.of_log(node.log, lane, known, inner)
        if isinstance(node, Loop):
            return self.of_loop(node, lane, known, inner)
        if isinstance(node, Choice):
            answer = answer_to(node, known) if node.cause is None else None
            if answer is not None:
                return self.of_log(node.then if answer else node.other, lane, known, inner)
            return either(self.of_log(node.then, lane, known, inner), self.of_log(node.other, lane, known, inner))
        return self.of_attempt(node, lane, known, inner)

    def of_event(self, event: Event, lane: int, path: tuple[LogNode, ...]) -> Tally:
        try:
            moves = move_of(self.run, event, lane, path)
        except Unsure:
            return UNKNOWN
        found: Tally = {}
        for move in moves:
            half = (move.kind, move.peer, (event.path, event.at))
            self.calls.setdefault(half, (event, path))
            found[half] = (1, 1)
        return found

    def of_attempt(self, node: Attempt, lane: int, known: dict[Symbol, int], path: tuple[LogNode, ...]) -> Tally:
        body = self.of_log(node.body, lane, known, path)
        if any(talks(handler.log, set()) for handler in node.handlers):
            body = added(body, UNKNOWN)
        if node.handlers:
            body = either(body, {})
        return added(body, self.of_log(node.final, lane, known, path)) if node.final is not None else body

    def of_loop(self, node: Loop, lane: int, known: dict[Symbol, int], path: tuple[LogNode, ...]) -> Tally:
        turns = turns_of(node, lane)
        if turns is None and self.known and node.cause is None and isinstance(node.trip, Unknown):
            turns = with_number(node.trip.symbol, self.known)
        if turns is None:
            return times(self.of_log(node.body, lane, known, path), (0, inf))
        counted = counter(node)
        if counted is not None and turns <= self.left:
            symbol, start, step = counted
            total: Tally = {}
            self.left -= turns
            for turn in range(turns):
                total = added(total, self.of_log(node.body, lane, {**known, symbol: start + turn * step}, path))
        else:
            total = times(self.of_log(node.body, lane, known, path), (turns, turns))
        return total if runs_to_its_end(node, lane) else either(total, {})


def answer_to(node: Choice, known: dict[Symbol, int]) -> bool | None:
    """`if world_size != 2: raise …`: all that go on have come to the other side."""
    failed = [word in FAILS for word in node.exits]
    if failed.count(True) == 1:
        return not failed[0]
    found = worth(node.symbol, known)
    return None if found is None else bool(found)


def turns_of(node: Loop, lane: int) -> int | None:
    return written(lane_value(node.trip, lane)) if node.trip is not None and node.cause is None else None


def written(value: Value | None) -> int | None:
    return value.value if isinstance(value, Const) and type(value.value) is int and not value.scale else None


def numbers_of(turns: Symbol) -> tuple[object, ...]:
    """What the length of a range is reckoned from: where it starts and stops, and by what it goes on."""
    return turns.key[1:] if turns.key[0] == "count" else (turns,)


def with_number(turns: Symbol, known: dict[Symbol, int]) -> int | None:
    found = [worth(part, known) for part in numbers_of(turns)]
    if any(type(one) is not int for one in found):
        return None
    return len(range(*found)) if turns.key[0] == "count" else found[0]


def counter(node: Loop) -> tuple[Symbol, int, int] | None:
    """`turn` of `for turn in range(start, stop, step)` with start and step, where a branch below asks for it."""
    numbers = node.subject
    if not isinstance(numbers, Object) or numbers.kind != "builtins.range":
        return None
    start, step = written(numbers.attributes.get("start")), written(numbers.attributes.get("step"))
    asked = (one for choice in below(node.body) for one in parts_of(choice) if one.key == ("number", numbers.number))
    symbol = next(asked, None)
    return (symbol, start, step) if symbol is not None and start is not None and step is not None else None


def parts_of(node: LogNode) -> Iterator[Symbol]:
    if isinstance(node, Choice) and node.symbol is not None:
        yield from symbols_in(node.symbol)


def runs_to_its_end(node: Loop, lane: int) -> bool:
    """Does the lane come from each turn to the next one, whatever is decided on the way?"""
    ends = any(
        isinstance(one, Event) and (one.kind, one.op) == ("end", "next turn") and one.mask >> lane & 1
        for one in node.body.nodes
    )
    return ends and not left_by(node.body, LEAVES)


def left_by(log: Log, ways: frozenset[str]) -> bool:
    """Is there a branch in it that leaves the loop around it? A break ends the nearest loop, a return the call."""
    for node in log.nodes:
        further = ways - {"break", "return"} if isinstance(node, Call) else ways
        further = further - {"break"} if isinstance(node, Loop) else further
        if ways & ways_out(node) or any(left_by(inner, further) for inner in inner_logs(node)):
            return True
    return False


def ways_out(node: LogNode) -> frozenset[str]:
    if isinstance(node, Choice):
        return frozenset(node.exits)
    return frozenset(handler.exit for handler in node.handlers) if isinstance(node, Attempt) else frozenset()


def below(log: Log) -> Iterator[LogNode]:
    todo, seen = [log], set[int]()
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        for node in one.nodes:
            yield node
            todo.extend(inner_logs(node))


def added(one: Tally, other: Tally) -> Tally:
    total = dict(one)
    for half, (least, most) in other.items():
        before = total.get(half, (0, 0))
        total[half] = (before[0] + least, before[1] + most)
    return total


def either(one: Tally, other: Tally) -> Tally:
    sides = [(one.get(half, (0, 0)), other.get(half, (0, 0))) for half in {**one, **other}]
    return {
        half: (min(mine[0], theirs[0]), max(mine[1], theirs[1]))
        for half, (mine, theirs) in zip({**one, **other}, sides, strict=True)
    }


def times(one: Tally, turns: Bounds) -> Tally:
    return {half: (least * turns[0], most * turns[1] if most else 0) for half, (least, most) in one.items()}
