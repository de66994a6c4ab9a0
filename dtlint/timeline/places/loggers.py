"""Which trackers, log writers and progress bars does every rank open for itself?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_

from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import evidence
from dtlint.machine.library.python.bars import SAYS_ITS_RANK
from dtlint.machine.library.python.files import text_of
from dtlint.machine.logs import Call, Choice, Event, LogNode, Loop, decisions
from dtlint.machine.run import Run
from dtlint.machine.values import BY_RANK, BY_SHARE, NONE, Const, Object, Row, Symbol, Tuple, Unknown, Value, lane_value
from dtlint.timeline.arrays.lives import NOTHING, Use, exclude, guarding
from dtlint.timeline.options import usual_switch
from dtlint.timeline.places.files import WRITES, accesses, in_turns
from dtlint.timeline.places.found_done import found_done
from dtlint.timeline.places.metrics import several_processes
from dtlint.timeline.places.wrong_scopes import of_one_machine, one_per_node
from dtlint.timeline.programs import forgotten
from dtlint.timeline.ranks.arrivals import all_ranks_here, started
from dtlint.timeline.ranks.hints import locked, undecided, vaguely_guarded
from dtlint.timeline.records import guards_over, recorded


@dataclass(frozen=True, slots=True)
class Opened:
    """A run of a tracker, by whatever its module is told from then on."""

    event: Event
    tracker: str
    lanes: int
    by_library: bool


def many_loggers(run: Run) -> Iterator[tuple[Event, tuple[LogNode, ...], int]]:
    opened = () if forgotten(run) else (*recorded(run, "log-init", "progress"), *opened_by_logging(run))
    for event, path in opened:
        if not all_ranks_here(run, path, event) or (event.op == "progress" and not started(run)):
            continue
        call = event.extra.get("call")
        if not isinstance(call, Invocation) or call.row.extra.get("self_guarded"):
            continue
        if locked(event, path):
            continue
        lanes = event.mask & active(call, run, event, path)
        if event.op == "progress" and (
            next(undecided(run, event, path), None) is not None or of_own_part(path) or of_work_done(run, path)
        ):
            continue
        if (
            bin(lanes).count("1") < 2
            or told_apart(call)
            or vaguely_guarded(run, event, path)
            or in_turns(run, event, lanes)
        ):
            continue
        if one_per_node(lanes, run) and (
            event.op == "progress"
            or of_one_machine(run)
            or not reckons_with_more(run)
            or at_home(run, event, lanes)
            or counted_out(event, path)
        ):
            continue  # every node has a screen and a disk of its own
        if not lanes & 1 and next(undecided(run, event, path), None) is not None:
            continue  # `if everyone or rank == 0`: the first rank always, the others when they are asked to
        yield event, path, lanes


def opened_by_logging(run: Run) -> Iterator[tuple[Event, tuple[LogNode, ...]]]:
    """The first line that is told to a tracker which opens a run for it, where nobody has opened one."""
    known = {event.api.partition(".")[0] for event, _ in recorded(run, "log-init")}
    for event, path in recorded(run, "log"):
        call, tracker = event.extra.get("call"), event.api.partition(".")[0]
        if isinstance(call, Invocation) and call.row.extra.get("opens_itself") and tracker not in known:
            known.add(tracker)
            yield event, path


def reckons_with_more(run: Run) -> bool:
    """Does the program speak of more machines than one, or a document? Nearly all that guard by the local rank are
    started on one."""
    if run.project.started.on_several:
        return True
    own = run.project.relatives(run.entry.path)
    return any(not own.isdisjoint(run.project.mentioning(word)) for word in run.knowledge.machines)


def counted_out(event: Event, path: tuple[LogNode, ...]) -> bool:
    """`rank % gpus == 0`: whoever takes the first of each node by its global rank means one for each."""
    return any(
        one.taken != one.before and one.cause is not None and one.cause.kind == "rank"
        for one in guards_over(event, path)
    )


def at_home(run: Run, event: Event, lanes: int) -> bool:
    """Does each of them write to a disk of its node?"""
    return any(one.event is event and one.own & lanes == lanes for one in accesses(run))


def unopened(run: Run) -> Iterator[tuple[Event, tuple[LogNode, ...], int, Opened]]:
    """What is told to a tracker's run, by its module, on ranks that have opened none, and where others have."""
    opened = [Opened(event, *opening) for event, _ in recorded(run, "log-init") for opening in opens(event)]
    for event, path in recorded(run, "log") if opened else ():
        call = event.extra.get("call")
        if not isinstance(call, Invocation) or call.receiver is not None:
            continue
        tracker = event.api.partition(".")[0]
        openings = [one for one in opened if one.tracker == tracker]
        without = event.mask & ~reduce(or_, (one.lanes for one in openings), 0)
        if not openings or not without or not all(one.by_library or guarded_by_rank(one.event) for one in openings):
            continue
        if openings[0].by_library and not on_several_ranks(run, openings[0]):
            continue
        if not vaguely_guarded(run, event, path) and not asks_for(tracker, path):
            yield event, path, without, openings[0]


def on_several_ranks(run: Run, opened: Opened) -> bool:
    """Does the program itself say that there are several processes? A trainer that is told nothing may have one."""
    call = opened.event.extra.get("call")
    if isinstance(call, Invocation) and call.receiver is None:
        return several_processes(run)
    return not evidence.alone(run) and evidence.distributed(run, "strong")


def opens(event: Event) -> Iterator[tuple[str, int, bool]]:
    """The tracker, the ranks that have a run of it afterwards, and whether a library has chosen them."""
    call = event.extra.get("call")
    if not isinstance(call, Invocation) or not call.row.extra.get("self_guarded"):
        yield event.api.partition(".")[0], event.mask, False
        return
    named = call.row.extra.get("opens")
    maker = call.receiver.facts.get("call") if isinstance(call.receiver, Object) else None
    given = maker.get(str(call.row.extra.get("opens_by"))) if isinstance(maker, Invocation) else None
    for tracker in (named, *texts_in(given)):
        if isinstance(tracker, str):
            yield tracker, event.mask & 1, True


def texts_in(value: Value | None) -> Iterator[object]:
    """`log_with="wandb"`, `log_with=["wandb", "tensorboard"]`"""
    if isinstance(value, Const):
        yield value.value
    held = value.attributes.get("[]") if isinstance(value, Object) else value
    for item in held.items if isinstance(held, Tuple) else ():
        yield from texts_in(item)


def guarded_by_rank(event: Event) -> bool:
    """Do the ranks know that they do not come here, by their numbers?"""
    parting = [one for one in decisions(event.guards) if one.taken != one.before]
    return bool(parting) and all(one.cause is not None and one.cause.kind in BY_RANK for one in parting)


def asks_for(tracker: str, path: tuple[LogNode, ...]) -> bool:
    """`if wandb.run is not None:` lets through those that have opened one."""
    asked = (node.symbol for node in path if isinstance(node, Choice) and node.symbol is not None)
    return any(str(part).partition(".")[0] == tracker for symbol in asked for part in words_in(symbol))


def words_in(part: object, depth: int = 6) -> Iterator[str]:
    if isinstance(part, Symbol) and depth:
        for inner in part.key:
            yield from words_in(inner, depth - 1)
    elif isinstance(part, tuple) and depth:
        for inner in part:
            yield from words_in(inner, depth - 1)
    elif isinstance(part, str):
        yield part


def of_own_part(path: tuple[LogNode, ...]) -> bool:
    """Below a loop over this rank's part of the work: what is shown there, no other rank shows."""
    return any(
        isinstance(node, Loop)
        and node.subject is not None
        and node.subject.cause is not None
        and node.subject.cause.kind in BY_SHARE
        for node in path
    )


def of_work_done(run: Run, path: tuple[LogNode, ...]) -> bool:
    """Is it the bar of a helper that writes what the ranks which come later find done?"""
    helper = next((node for node in reversed(path) if isinstance(node, Call)), None)
    written = [one for one in accesses(run) if one.kind in WRITES and any(node is helper for node in one.path)]
    return bool(written) and all(found_done(run, one) for one in written)


def active(call: Invocation, run: Run, event: Event, path: tuple[LogNode, ...]) -> int:
    """The lanes that really log: `disable=rank != 0`, `mode="disabled"` take the others out."""
    lanes = run.world.full
    for param, off in call.row.extra.get("disables_by", {}).items():
        value = call.get(param)
        if value is None:
            continue
        for lane in range(run.world.size):
            held = usual_switch(run, lane_value(value, lane))
            if not isinstance(held, Const) or held.value in off or (off == [True] and held.value not in (False, None)):
                lanes &= ~(1 << lane)
    return lanes & ~switched_off(call, run, Use(NOTHING, event, path))


def switched_off(call: Invocation, run: Run, here: Use) -> int:
    """`os.environ["TRACKER_MODE"] = "disabled"`, and not on the other side of a branch."""
    lanes = 0
    for variable, off in call.row.extra.get("disables_in", {}).items():
        for event, path in recorded(run, "env"):
            name, value = (told for _, told in event.details) if len(event.details) == 2 else (None, None)
            if name == Const(variable) and isinstance(value, Const) and value.value in off:
                lanes |= event.mask if not exclude(Use(NOTHING, event, path), here, guarding) else 0
    return lanes


def told_apart(call: Invocation) -> bool:
    """The ranks' runs belong together on purpose, or each has a name of its own."""
    named = next((value for name in call.row.extra.get("names", ()) if (value := call.get(name)) is not None), None)
    together = [value for param in call.row.extra.get("apart", ()) if (value := call.get(param)) not in (None, NONE)]
    one_name = named is not None and named != NONE  # for the runs of all ranks
    if (together and (not one_name or any(map(says_its_rank, call.values)))) or SAYS_ITS_RANK in call.extra:
        return True
    return any(by_rank(text_of(value)) for value in call.values) or any(
        name is None and not of_settings(value) for name, value in call.keywords
    )


def by_rank(value: Value) -> bool:
    """A name from the clock differs as well, but tells nobody which rank it is."""
    return isinstance(value, Row) or (value.cause is not None and value.cause.kind not in ("clock", "random"))


def says_its_rank(value: Value) -> bool:
    """`{"rank": rank, **settings}`: which of them it is, written down for whoever looks at the runs."""
    held = value.attributes.values() if isinstance(value, Object) and value.kind == "dict" else ()
    return any(isinstance(one, Row) and one.cause.kind in BY_RANK for one in held)


def of_settings(value: Value) -> bool:
    """A section of settings, which are the same for all ranks: `**config["tracker"]`."""
    return isinstance(value, Unknown) and value.symbol.key[0] in ("attr", "item")
