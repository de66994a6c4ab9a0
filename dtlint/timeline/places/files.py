"""Which ranks touch which place, and in what order?

Every file call of a run becomes an `Access`: what is done, by which lanes, where (a text per lane), and how many
meetings of all ranks each lane has behind it at that moment. Two accesses of two lanes are in order when the later lane
has met the others after the earlier one's access; otherwise they race.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TypeVar

from dtlint.machine.contents.opaque import TEMPORARY
from dtlint.machine.control.failures import WRITES
from dtlint.machine.lanes import lanes_in
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python import files, folders
from dtlint.machine.logs import Attempt, Call, Choice, Event, Log, LogNode, Loop, inner_logs
from dtlint.machine.run import Run
from dtlint.machine.values import BY_PROCESS, NONE, Cause, Const, Row, Symbol, Unknown, Value, lane_value
from dtlint.machine.walks import TIMES
from dtlint.timeline.options import default_for
from dtlint.timeline.records import recorded

ARRIVAL = "file-arrival"  # a file gets its name by a rename: at once, so that writers do not disturb each other
READS = frozenset({"file-read", "load", "listing"})
KINDS = (*sorted(WRITES), *sorted(READS), "file-ask", "log-init")
LOOKS = ("file-ask", "listing")
MOVES = "chdir"
OPENINGS = frozenset({"log-init", "progress"})
NOWHERE = ("/dev/", "/proc/")
MEMORY = "/dev/shm"  # a folder like others, in the memory of a node


@dataclass(slots=True)
class Access:
    """`places[lane]` is where; empty for lanes that do not take part."""

    kind: str
    event: Event
    path: tuple[LogNode, ...]
    mask: int
    places: tuple[str, ...]
    clocks: tuple[int, ...]
    cause: Cause | None  # why the place differs between lanes, if it does
    value: Value = NONE
    order: int = 0
    own: int = 0  # lanes whose place is on a disk of their node
    scored: bool = False  # each rank's name of it has a score of its own in it

    def lanes(self) -> Iterator[int]:
        return lanes_in(self.mask)

    @property
    def call(self) -> Invocation | None:
        found = self.event.extra.get("call")
        return found if isinstance(found, Invocation) else None


@dataclass(slots=True)
class Tour:
    """A walk through the log with one clock per lane."""

    run: Run
    clocks: list[int]
    found: list[Access] = field(default_factory=list)
    seen: dict[int, int] = field(default_factory=dict)  # nodes, since the last call began, and who came to them
    calls: dict[tuple[int, int], int] = field(default_factory=dict)  # how often these went through the log of a call
    touched: dict[tuple[object, ...], Access] = field(default_factory=dict)  # by the calls around it
    meets: dict[int, bool] = field(default_factory=dict)  # do ranks meet in it?
    moments: dict[int, tuple[int, ...]] = field(default_factory=dict)  # clocks at openings of loggers
    folders: dict[int, str] = field(default_factory=dict)  # of its own, that a lane has gone into


def accesses(run: Run) -> list[Access]:
    """All file calls of a run, in program order."""
    known: list[Access] | None = run.cache.get("file accesses")
    if known is None:
        known = []
        moments: dict[int, tuple[int, ...]] = {}
        if next(recorded(run, *KINDS, *OPENINGS), None) is not None:
            tour = Tour(run, [0] * run.world.size)
            visit(tour, run.log, run.world.full, ())
            known, moments = tour.found, tour.moments
        run.cache["file moments"] = moments
        run.cache["file accesses"] = known
    return known


def in_turns(run: Run, event: Event, lanes: int) -> bool:
    """Do the lanes come here one after the other, with a meeting between?"""
    accesses(run)
    clocks = run.cache["file moments"].get(id(event))
    return clocks is not None and len({clocks[lane] for lane in lanes_in(lanes)}) > 1


def visit(tour: Tour, log: Log, mask: int, path: tuple[LogNode, ...]) -> None:
    for node in log.nodes:
        # behind a way out that only some may take, the others come to the same nodes on a side of their own
        seen = tour.seen.get(id(node), 0)
        lanes = node.mask & mask & ~seen
        if lanes:
            tour.seen[id(node)] = seen | lanes
            walk_into(tour, node, lanes, path)


def into_call(tour: Tour, log: Log, lanes: int, path: tuple[LogNode, ...]) -> None:
    """A call that is remembered happens again where it stands; after some times its files are known well enough."""
    times = tour.calls[id(log), lanes] = tour.calls.get((id(log), lanes), 0) + 1
    if times > TIMES:
        if tour.meets[id(log)]:
            tick(tour, lanes)
        return
    before, seen = list(tour.clocks), tour.seen
    tour.seen = {}
    tour.meets[id(log)] = False
    visit(tour, log, lanes, path)
    tour.meets[id(log)] = tour.clocks != before
    tour.seen = seen


def walk_into(tour: Tour, node: LogNode, lanes: int, path: tuple[LogNode, ...]) -> None:
    inner = (*path, node)
    if isinstance(node, Event):
        meet_or_touch(tour, node, lanes, path)
    elif isinstance(node, Call):
        into_call(tour, node.log, lanes, inner)
    elif isinstance(node, Choice):
        either(tour, (node.then, node.other), lanes, inner)
    elif isinstance(node, Loop):
        visit(tour, node.body, lanes, inner)
        if polls(node):
            tick(tour, lanes)
    elif isinstance(node, Attempt):
        either(tour, (node.body, *(handler.log for handler in node.handlers)), lanes, inner)
        if node.final is not None:
            visit(tour, node.final, lanes, inner)


def tick(tour: Tour, lanes: int) -> None:
    for lane in lanes_in(lanes):
        tour.clocks[lane] += 1


def either(tour: Tour, sides: tuple[Log, ...], lanes: int, path: tuple[LogNode, ...]) -> None:
    start = list(tour.clocks)
    furthest = list(tour.clocks)
    for side in sides:
        tour.clocks = list(start)
        visit(tour, side, lanes, path)
        furthest = [max(one, two) for one, two in zip(furthest, tour.clocks, strict=True)]
    tour.clocks = furthest


def polls(loop: Loop) -> bool:
    """`while not path.exists(): sleep()` waits for somebody else's file."""
    if loop.kind != "while":
        return False
    asked = {node.op for node in loop.body.nodes if isinstance(node, Event)}
    if not asked.isdisjoint(("file-ask", "sleep")):
        return True
    within = {event.op for event in in_turn(loop.body)}
    return "sleep" in within and not within.isdisjoint(LOOKS)


def in_turn(log: Log) -> Iterator[Event]:
    """What a turn does itself, under whatever conditions."""
    for node in log.nodes:
        if isinstance(node, Event):
            yield node
        elif isinstance(node, Choice | Attempt):
            yield from (event for inner in inner_logs(node) for event in in_turn(inner))


def asked_again(path: tuple[LogNode, ...]) -> bool:
    loop = next((node for node in reversed(path) if isinstance(node, Loop | Call)), None)
    return isinstance(loop, Loop) and polls(loop)


def meet_or_touch(tour: Tour, event: Event, lanes: int, path: tuple[LogNode, ...]) -> None:
    if event.kind == "collective":
        if event.group is None or any(event.group.members[lane] & ~(1 << lane) for lane in lanes_in(lanes)):
            tick(tour, lanes)
            everybody = tour.run.world.full
            if event.group is None or all(members & everybody == everybody for members in event.group.members):
                if lanes == everybody:  # who had waited for a file before is no later than the others from here on
                    tour.clocks = [max(tour.clocks)] * len(tour.clocks)
    elif event.op == "may-meet" or event.kind in ("untold", "device-collective"):
        tick(tour, lanes)
    if event.op == MOVES:
        go_into(tour, event, lanes)
    if event.op in OPENINGS:
        tour.moments[id(event)] = tuple(tour.clocks)
    if event.kind == "record" and event.op in KINDS:
        access = access_of(tour, event, event.op, target_of(event), lanes, path)
        if access is not None:
            add(tour, access)
        if event.op == "file-ask" and asked_again(path):
            tick(tour, lanes)  # who goes on from here has found what was waited for
        arrived = new_place(event)
        if arrived is not None and access is not None:
            access = access_of(tour, event, ARRIVAL, arrived, lanes, path)
            if access is not None:
                add(tour, access)


def go_into(tour: Tour, event: Event, lanes: int) -> None:
    """`os.chdir(f"runs/{rank}")`: what has no folder in its name is in the one of this rank from now on."""
    target = target_of(event)
    text = files.text_of(target) if target is not None else NONE
    places = {lane: place_on(files.place(text, lane), text, lane) for lane in lanes_in(lanes)}
    own = len(set(places.values())) == len(places) > 1
    for lane, place in places.items():
        tour.folders[lane] = place if own else ""


def from_here(tour: Tour, place: str, lane: int) -> str:
    folder = tour.folders.get(lane)
    return f"{folder}/{place}" if folder and place and place[0] not in "/<~" else place


def add(tour: Tour, access: Access) -> None:
    """One that others have come to on their own side of a branch above is the same access."""
    here = (access.kind, id(access.event), *(id(node) for node in access.path if isinstance(node, Call)))
    known = tour.touched.get(here)
    if known is None or known.mask & access.mask:
        tour.touched[here] = access
        tour.found.append(access)
        return
    known.places = merged(known.places, access.places, access.mask)
    known.clocks = merged(known.clocks, access.clocks, access.mask)
    known.mask |= access.mask
    known.own |= access.own
    known.path = min(known.path, access.path, key=len)


T = TypeVar("T")


def merged(before: tuple[T, ...], new: tuple[T, ...], lanes: int) -> tuple[T, ...]:
    return tuple(new[lane] if lanes >> lane & 1 else before[lane] for lane in range(len(before)))


def new_place(event: Event) -> Value | None:
    """Where a renamed file is afterwards."""
    call = event.extra.get("call")
    if event.op != "file-rename" or not isinstance(call, Invocation):
        return None
    return call.get("dst") or call.get("target")


def access_of(
    tour: Tour, event: Event, kind: str, target: Value | None, lanes: int, path: tuple[LogNode, ...]
) -> Access | None:
    call = event.extra.get("call")
    given = isinstance(call, Invocation) and target is not call.receiver
    if target is None or target == NONE or files.no_place(target, given):
        return None
    if isinstance(call, Invocation) and call.row.extra.get("self_guarded") and event.op != "log-init":
        return None
    if isinstance(call, Invocation) and call.get(str(call.row.extra.get("joint_with", ""))) is not None:
        return None
    lanes &= acting(call) if isinstance(call, Invocation) else lanes
    if not lanes:
        return None
    text = files.text_of(target)
    parts = [text, *further_parts(call), *kept_name(call, text)]
    places = tuple(
        from_here(tour, "/".join(place_on(files.place(part, lane), part, lane) for part in parts), lane)
        if lanes >> lane & 1
        else ""
        for lane in range(tour.run.world.size)
    )
    if any(one.startswith(NOWHERE) and not one.startswith(MEMORY) for one in places):
        return None
    clocks = tuple(tour.clocks)
    order = len(tour.found)
    own = sum(1 << lane for lane in lanes_in(lanes) if on_own_disk(tour.run, places[lane], lane_value(text, lane)))
    return Access(kind, event, path, lanes, places, clocks, text.cause, text, order, own)


def further_parts(call: object) -> list[Value]:
    """What names the file within the place, where the call takes that as an argument of its own (`prefix=`)."""
    given = call.get(str(call.row.extra.get("beside", ""))) if isinstance(call, Invocation) else None
    return [] if given is None else [given]


def kept_name(call: object, text: Value) -> list[Value]:
    """`shutil.copy(f"part_{rank}.pt", archive)`: under the name it had, where the place is not named like a file."""
    given = call.get(str(call.row.extra.get("in_folder", ""))) if isinstance(call, Invocation) else None
    name = files.text_of(given) if given is not None else NONE
    own = name.cause is not None and name.cause.kind in BY_PROCESS
    return [name] if own and not PurePath(files.place(text, 0)).suffix else []


def on_own_disk(run: Run, place: str, text: Value) -> bool:
    """A folder that each node has for itself, by its name or by the default of the option it begins with."""
    if folders.node_local(place):
        return True
    first = text.symbol if isinstance(text, Unknown) else None
    while first is not None and (first.key[0] == files.JOINED or first.key[0] in files.TEXTS):
        first = first.key[1] if len(first.key) > 1 and isinstance(first.key[1], Symbol) else None
    default = default_for(run, first) if first is not None else None
    return isinstance(default, Const) and folders.node_local(str(default.value))


def place_on(place: str, text: Value, lane: int) -> str:
    """A place made of what only this rank sees is this rank's own. What files there are, most ranks see alike."""
    held = lane_value(text, lane)
    differs = isinstance(held, Unknown) and held.cause is not None and (held.cause.kind != "files" or private(held))
    return f"{place} of {lane}" if differs else place


def private(value: Value) -> bool:
    """Does the name come from `tempfile`, which makes places for one process on purpose?"""
    if not isinstance(value, Unknown):
        return False
    made_by = (part for symbol in provenance.symbols_in(value.symbol) for part in symbol.key)
    return TEMPORARY in value.tags or any(isinstance(part, str) and part.startswith("tempfile.") for part in made_by)


def target_of(event: Event) -> Value | None:
    if "target" in event.extra:
        found: Value = event.extra["target"]
        return found
    call = event.extra.get("call")
    if not isinstance(call, Invocation):
        return None
    name = call.row.extra.get("path")
    if name:
        given = call.get(str(name))
        return given if given is not None else positional(call, str(name))
    if call.receiver is not None:
        return call.receiver
    return call.arguments[0] if call.arguments else next((value for _, value in call.keywords), None)


def positional(call: Invocation, name: str) -> Value | None:
    return None if name in call.row.params else call.arguments[0] if call.arguments else None


def acting(call: Invocation) -> int:
    """The lanes that really do it, where the call takes that as an argument (`is_main_process=`)."""
    given = call.get("is_main_process") or call.get("main_process_only")
    if isinstance(given, Row):
        return sum(
            1 << lane for lane, held in enumerate(given.lanes) if not (isinstance(held, Const) and not held.value)
        )
    return -1


# --- questions -------------------------------------------------------------------------------------------------


def overlap(one: str, other: str) -> bool:
    """The same place, or one inside the other."""
    return bool(one and other) and (one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/"))


def together(access: Access, run: Run, whenever: bool = False) -> int:
    """Lanes that do this at the same place at the same time (or at any) as another lane does."""
    lanes = 0
    for lane in access.lanes():
        for other in access.lanes():
            if other == lane or access.places[lane] != access.places[other]:
                continue
            if access.own >> lane & 1 and not same_node(run, lane, other):
                continue
            if whenever or access.clocks[lane] == access.clocks[other]:
                lanes |= 1 << lane | 1 << other
    return lanes


def same_node(run: Run, lane: int, other: int) -> bool:
    return lane // run.world.per_host == other // run.world.per_host


def choices_of_files(run: Run, ask: Access) -> list[Choice]:
    """The branches that are taken by what this question to the file system answers."""
    known: dict[tuple[str, int], list[Choice]] | None = run.cache.get("choices of files")
    if known is None:
        known = run.cache["choices of files"] = {}
        for node, _ in run.walk():
            if isinstance(node, Choice) and node.cause is not None and node.cause.kind == "files":
                for step in node.cause.steps()[:1]:
                    known.setdefault((step.path, step.line), []).append(node)
    return known.get((ask.event.path, ask.event.at[0]), [])
