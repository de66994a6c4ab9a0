"""Who writes where the others write too, under which guard, and under whose name?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from dtlint.findings import Step
from dtlint.machine.entries import CALLED_ALONE
from dtlint.machine.lanes import lanes_in
from dtlint.machine.library import log_filters
from dtlint.machine.library.evidence import alone, evidence, of_one
from dtlint.machine.library.files import all_nodes, text_of
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.metrics import LOADER
from dtlint.machine.library.provenance import symbols_in
from dtlint.machine.library.stepping import attribute_of
from dtlint.machine.logs import Attempt, Call, Choice, Decision, Event, LogNode, decisions, plain_question
from dtlint.machine.run import SEEN, Run
from dtlint.machine.values import BY_PROCESS, BY_RANK, Cause, Const, Object, Row, Symbol, Unknown, Value, lane_value
from dtlint.timeline.files import (
    READS,
    WRITES,
    Access,
    accesses,
    choices_of_files,
    overlap,
    private,
    same_node,
    together,
)
from dtlint.timeline.host_files import of_each_host
from dtlint.timeline.inverted import whole_text
from dtlint.timeline.lives import NOTHING, Use, exclude, sides
from dtlint.timeline.options import default_for
from dtlint.timeline.programs import in_a_test
from dtlint.timeline.records import guards_over, recorded

OWN = frozenset({"clock", "random", "process", "host"})


def distributed_step(run: Run) -> tuple[Step, ...]:
    step = evidence(run).step
    return (step,) if step is not None else ()


STARTS = frozenset({"init", "wrap", "prepare", "fully_shard", "boost", "fit", "mesh"})


def started(run: Run) -> bool:
    """Does this run start or wrap something distributed? Asking a process group that may be there shows less: library
    code does it for the day it is run by several ranks."""
    known: bool | None = run.cache.get("started")
    if known is None:
        events = (event for event, _ in recorded(run, "<collective>", "init"))
        begun = any(event.op in STARTS and not of_one(event) for event in events)
        known = not alone(run) and (bool(run.facts.get("spawned")) or begun)
        run.cache["started"] = known
    return known


def all_ranks_here(run: Run, path: tuple[LogNode, ...], event: Event) -> bool:
    """Is this reached by every rank of the job, as far as the run shows? Functions nobody calls may be guarded by
    callers that were not seen, and what scripts run as well is judged there; before a spawn there is one process."""
    if in_a_test(run.entry.path):
        return False
    if run.entry.kind == "function":
        return everyone(run) and (event.path, event.function) not in run.facts[SEEN]
    if run.entry.kind != "script":
        return False
    if not started(run):
        return (event.path, event.function) in functions_of_all(run)
    if before_start(run, path) or instead_of_start(run, path, event):
        return False
    spawned = run.facts.get("spawned")
    if isinstance(spawned, set):
        sites = run.facts["spawned at"]  # the same function may also be called as it is, in one process
        return any(
            isinstance(node, Call) and (node.callee_path, node.function) in spawned and (node.path, node.at) in sites
            for node in path
        )
    return not spawned


def instead_of_start(run: Run, path: tuple[LogNode, ...], event: Event) -> bool:
    """Is this on the other side of a branch than whatever starts several ranks? Then it is for one process."""
    here, some = Use(NOTHING, event, path), False
    for start, above in recorded(run, *STARTS, "<collective>"):
        if not exclude(Use(NOTHING, start, above), here):
            return False
        some = True
    return some


def everyone(run: Run) -> bool:
    """Does a function nobody calls show by itself that all ranks run it? It meets the others whoever it is, or it has
    a part of its own work done by one rank."""
    known: bool | None = run.cache.get("everyone")
    if known is None:
        met = ((node, path) for node, path in run.walk() if isinstance(node, Event))
        known = not run.facts.get(CALLED_ALONE) and (
            (run.entry.path, run.entry.name) in functions_of_all(run)
            or any(meets_all(run, one, path) for one, path in met)
        )
        run.cache["everyone"] = known
    return known


def meets_all(run: Run, event: Event, path: tuple[LogNode, ...]) -> bool:
    """A meeting of the function's own: under no condition, or one that lets some of them go first."""
    if event.kind != "collective" or sum(isinstance(node, Call) for node in path) > 1:
        return False
    row = run.knowledge.api(event.api)
    if row is not None and row.kind in ("first", "local_first"):
        return True
    return (
        event.mask == run.world.full
        and (event.group is None or all(members == run.world.full for members in event.group.members))
        and not any(decision.kind == "branch" for decision in guards_over(event, path))
    )


def functions_of_all(run: Run) -> set[tuple[str, str]]:
    """Functions that have a part of their work, which all ranks need once, done by one of them: all ranks come here."""
    known: set[tuple[str, str]] | None = run.cache.get("functions of all")
    if known is None:
        known = run.cache["functions of all"] = set()
        for event, path in recorded(run, *WRITES, "log-init"):
            known.update(
                (decision.path, decision.function)
                for decision in guards_over(event, path)
                if decision.cause is not None and decision.cause.kind == "rank"
                if decision.before == run.world.full and decision.taken != decision.before
            )
    return known


HINT = re.compile(r"rank|main|master|primary|chief|lead|coordinator|process|worker|zero|writer|host|proc|root", re.I)


def locked(event: Event, path: tuple[LogNode, ...]) -> bool:
    """Is this done by one process after the other, each of which sees what the one before has done?"""
    return any(decision.kind == "lock" for decision in guards_over(event, path))


def vaguely_guarded(run: Run, event: Event, path: tuple[LogNode, ...]) -> bool:
    """Does a decision nobody can take, but which is about ranks by its words or its cause, stand above? Then it may be
    the guard."""
    return any(one.cause is not None or speaks_of_ranks(run, one) for one in undecided(run, event, path))


def undecided(run: Run, event: Event, path: tuple[LogNode, ...]) -> Iterator[Decision]:
    """The branches above that nobody can decide; where it depends on who the rank is, also those that others left."""
    for chain in (event.guards, *(node.guards for node in path)):
        for decision in decisions(chain):
            if decision.kind == "branch" and decision.taken == decision.before and not of_content(run, decision):
                yield decision
    for node in path:
        if isinstance(node, Choice) and node.cause is not None and not of_content(run, node.decision):
            yield node.decision


def of_content(run: Run, decision: Decision) -> bool:
    """Does it depend on something else than who the rank is, and on nothing that speaks of ranks besides?"""
    if decision.cause is None or decision.cause.kind in BY_PROCESS:
        return False
    return not speaks_of_ranks(run, decision)


def speaks_of_ranks(run: Run, decision: Decision) -> bool:
    return HINT.search(whole_text(run, decision)) is not None or speaks_so(decision.symbol, ASKED)


ASKED = re.compile(r"(^|_)(rank|main|master|primary|chief|leader|coordinator)(_|$)")


RANK = re.compile(r"(^|_)rank(_|$)")


def speaks_so(symbol: Symbol | None, words: re.Pattern[str]) -> bool:
    """Is it made of what a library nobody knows calls so? `place == 0` after `place = grid.get_rank()`."""
    return symbol is not None and any(
        words.search(word.rpartition(".")[2]) for one in symbols_in(symbol) for word in words_in(one.key)
    )


def words_in(key: tuple[Any, ...]) -> Iterator[str]:
    for part in key:
        if isinstance(part, str):
            yield part
        elif isinstance(part, tuple):
            yield from words_in(part)


SPAWNS = re.compile(r"\bspawn(_process\w*)?\s*\(")  # a call: `set_start_method("spawn")` starts nobody


def before_start(run: Run, path: tuple[LogNode, ...]) -> bool:
    """The file that starts the ranks also spawns processes, and this is not below the start: one process so far."""
    step = evidence(run).step
    if step is None or run.facts.get("spawned"):
        return False
    return SPAWNS.search(run.project.text(step.path)) is not None


# --- DT702 -----------------------------------------------------------------------------------------------------


def shared_writes(run: Run) -> Iterator[tuple[Access, int]]:
    for access in accesses(run):
        if access.kind not in WRITES or not all_ranks_here(run, access.path, access.event) or tolerant(access):
            continue
        if access.call is not None and access.call.row.extra.get("log") and quiet_ranks(run):
            continue
        if turns(access) and (access.kind != "file-delete" or of_missing_work(run, access)):
            continue  # who comes first does the work, the others find it done
        if (
            locked(access.event, access.path)
            or vaguely_guarded(run, access.event, access.path)
            or ends_before_start(run, access)
            or done_before_the_others(run, access)
        ):
            continue
        if run.entry.kind == "function" and (not names_a_file(access) or left_to_callers(run, access.path)):
            continue
        if of_each_host(run, access) or named_by_a_given_rank(run, access) or named_by_a_sample(run, access):
            continue
        lanes = together(access, run, whenever=turns(access))
        crowded = any(
            same_node(run, one, other) for one in lanes_in(lanes) for other in lanes_in(lanes) if one != other
        )
        crowded = crowded or lanes == followers(run)
        if crowded and (lanes | access.mask) & 1:  # without rank 0, the guard is the mistake
            yield access, lanes


def followers(run: Run) -> int:
    """All but the first of each node: the one that our nodes have stands for several."""
    world = run.world
    return sum(1 << lane for lane in range(world.size) if lane % world.per_host)


def turns(access: Access) -> bool:
    """Do some ranks come here before the others, with a meeting between?"""
    return len({access.clocks[lane] for lane in access.lanes()}) > 1


def of_missing_work(run: Run, access: Access) -> bool:
    """Does it depend on whether something else is there, which is so for whoever comes later?"""
    for ask in accesses(run):
        if ask.kind == "file-ask" and any(
            node is choice for choice in choices_of_files(run, ask) for node in access.path
        ):
            return not any(overlap(ask.places[lane], access.places[lane]) for lane in access.lanes())
    return False


def named_by_a_given_rank(run: Run, access: Access) -> bool:
    """Has the name in it what the process group is told as the rank, a number from the command line, say, or what a
    thing that nobody knows calls its rank?"""
    given = (event.extra["call"].get("rank") for event, _ in recorded(run, "init") if "call" in event.extra)
    ranks = {rank.symbol for rank in given if isinstance(rank, Unknown)}
    held = lane_value(text_of(access.value), next(access.lanes()))
    if not isinstance(held, Unknown):
        return False
    return not ranks.isdisjoint(symbols_in(held.symbol)) or speaks_so(held.symbol, RANK)


def named_by_a_sample(run: Run, access: Access) -> bool:
    """Has the name of a sample in it, and does nobody know which samples the sampler gives this rank?"""
    loaders = run.facts.get("loaders", {})
    held = lane_value(text_of(access.value), next(access.lanes()))
    made = (loaders[tag[1]] for tag in held.tags if isinstance(tag, tuple) and tag[0] == LOADER and tag[1] in loaders)
    samplers = [one.attributes.get(name) for one in made for name in ("sampler", "batch_sampler")]
    return any(isinstance(one, Unknown) or foreign_kind(run, one) for one in samplers)


def foreign_kind(run: Run, value: Value | None) -> bool:
    """Is it of a library's class that the packs say nothing of?"""
    return isinstance(value, Object) and isinstance(value.kind, str) and value.kind not in run.knowledge.types


def left_to_callers(run: Run, path: tuple[LogNode, ...]) -> bool:
    """Does it depend on what the function is told in plain words: `if save_state:`? A caller may tell one rank only."""
    questions = (plain_question(node.symbol)[0] for node in path if isinstance(node, Choice) and node.cause is None)
    return any(one is not None and one.key[:2] == ("parameter", run.entry.name) for one in questions)


def names_a_file(access: Access) -> bool:
    """Is the place at least partly written here? What callers hand over may have the rank in it."""
    return all("/" in where.strip("/") and not where.endswith(">") for where in access.places if where)


def ends_before_start(run: Run, access: Access) -> bool:
    """Is this on a side of the program that ends it, with nothing distributed begun: one that is run by itself?"""
    above = sides(Use(NOTHING, access.event, access.path))
    ending = any(choice.exits[0 if then else 1] == "exit" for choice, then in above)
    return ending and moment(run, access.event) < first_start(run)


def done_before_the_others(run: Run, access: Access) -> bool:
    """A trainer starts the other processes of its node when it fits: the first one has been here alone by then, and
    where a file tells whether it is still to be done, they find it done."""
    if moment(run, access.event) >= first_start(run):
        return False
    if any(event.op != "fit" for event, _ in recorded(run, *STARTS, "<collective>") if event.op in STARTS):
        return False
    return any(
        node is choice
        for ask in accesses(run)
        if ask.kind == "file-ask"
        for choice in choices_of_files(run, ask)
        for node in access.path
    )


def moment(run: Run, event: Event) -> int:
    """The place of an event in the order of the program."""
    known: dict[int, int] | None = run.cache.get("moments")
    if known is None:
        known = run.cache["moments"] = {id(node): number for number, (node, _) in enumerate(run.walk())}
    return known.get(id(event), 0)


def first_start(run: Run) -> int:
    starts = [event for event, _ in recorded(run, "<collective>", "init") if event.op in STARTS]
    return min((moment(run, event) for event in starts), default=0)


def tolerant(access: Access) -> bool:
    """Calls that say they do not mind: the folder may be there, the file may be gone."""
    call = access.call
    if call is None:
        return False
    if call.row.extra.get("repeatable"):
        return True
    if access.kind == "mkdir":
        return forgiving(call.get("exist_ok")) or failure_caught(access)
    if access.kind == "file-delete":
        return forgiving(call.get("missing_ok")) or failure_caught(access)
    if access.kind in ("download", "unpack"):
        return access.cause is not None
    return False


def quiet_ranks(run: Run) -> bool:
    """Does each rank's log get a level or a filter by its rank? Then the others add no more than their errors."""
    for event, _ in recorded(run, log_filters.LEVEL):
        call = event.extra.get("call")
        level = call.get("level") if isinstance(call, Invocation) else None
        if event.mask != run.world.full or (level is not None and level.cause is not None) or "by rank" in event.extra:
            return True
    return False


LATE = frozenset({"OSError", "FileNotFoundError", "FileExistsError", "IOError", "EnvironmentError"})
ANYTHING = frozenset({"Exception", "BaseException"})


def failure_caught(access: Access) -> bool:
    """Below a `try` that takes it well when another rank was faster: for whatever goes wrong here, or for files in the
    caller. One around the whole program is the end of it."""
    calls = 0
    for node in reversed(access.path):
        calls += isinstance(node, Call)
        if calls > 1:
            return False
        if isinstance(node, Attempt):
            taken = (handler for handler in node.handlers if handler.exit not in ("raise", "exit"))
            caught = {name.rpartition(".")[2] for handler in taken for name in handler.types}
            if not caught.isdisjoint(LATE if calls else LATE | ANYTHING):
                return True
    return False


def forgiving(value: Value | None) -> bool:
    return value is not None and not (isinstance(value, Const) and not value.value)


# --- DT704 -----------------------------------------------------------------------------------------------------


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


def wrong_scopes(run: Run) -> Iterator[WrongScope]:
    yield from absent_attributes(run)
    if run.entry.kind != "script" or not started(run) or in_a_test(run.entry.path):
        return  # who calls a function nobody calls may know better
    found = accesses(run)
    sources: set[object] = set()
    for access in found:
        if access.kind in ("file-write", "file-delete", "file-rename") and one_per_node(access.mask, run):
            decision = guard(access, ("local rank",))
            places = {access.places[lane] for lane in access.lanes()}
            known = not of_one_machine(run) or on_network(run, access)
            cause = decision.cause if decision is not None else None
            source = cause.steps()[:1] if cause is not None else ()
            if source and source in sources:
                continue  # one wrong rank, many places
            sources.add(source)
            if known and decision is not None and len(places) == 1 and not access.own and says_where(access):
                yield WrongScope("shared", access.event, access.mask, decision)
        elif access.kind in WRITES and bin(access.mask).count("1") == 1:
            decision = guard(access, ("rank",))
            reader = next((one for one in found if decision is not None and elsewhere(run, access, one)), None)
            if reader is not None:
                yield WrongScope(
                    "node", access.event, access.mask, decision, reader.event, "read on every node, each its own"
                )
    for event, _ in recorded(run, "absent-used"):
        decision = next(
            (one for one in decisions(event.guards) if one.cause is not None and one.cause.kind in BY_RANK), None
        )
        yield WrongScope("absent", event, event.mask, decision, event.extra.get("made"), "made on other ranks only")
    for event, _ in recorded(run, "main-only"):
        if event.mask & ~1:
            yield WrongScope("missing", event, event.mask & ~1, None)


def says_where(access: Access) -> bool:
    """Is anything known of the place? One out of a list that somebody made may well be each node's own."""
    held = lane_value(text_of(access.value), next(access.lanes()))
    return re.sub(r"<[^<>]*>", "", access.places[next(access.lanes())]).strip("/") != "" or (
        isinstance(held, Unknown) and attribute_of(held.symbol) is not None
    )


def absent_attributes(run: Run) -> Iterator[WrongScope]:
    """What ranks use that only others have made, below a script or a method that a framework calls on all ranks."""
    whole = run.entry.kind == "script" and started(run)
    for event, _ in recorded(run, "absent-attribute"):
        if whole or event.extra["all"]:
            yield WrongScope("lacking", event, event.mask, None, event.extra["made"], "made on other ranks only")


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


def of_one_machine(run: Run) -> bool:
    """Such a program has no need of the global rank, nor of a cluster's file system; it may take its local rank for
    the rank: `init_process_group(rank=local_rank)`."""
    if not run.facts.get("global rank"):
        return True
    given = (event.extra["call"].get("rank") for event, _ in recorded(run, "init") if "call" in event.extra)
    return any(isinstance(rank, Row) and rank.cause.kind == "local rank" for rank in given)


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


# --- DT705 -----------------------------------------------------------------------------------------------------


def rank_local_names(run: Run) -> Iterator[tuple[Access, Step | None, str]]:
    if in_a_test(run.entry.path):
        return
    whole = run.entry.kind == "script" and started(run)
    seen: set[tuple[str, int]] = set()
    for access, told in suspects(run) if whole else together_at(run):
        source = source_of(access)
        place = (source.path, source.line) if source is not None else (access.event.path, access.event.at[0])
        if place not in seen:
            seen.add(place)
            yield access, source, told


def together_at(run: Run) -> Iterator[tuple[Access, str]]:
    """What all ranks save or load together, whoever calls."""
    for event, path in recorded(run, "file-write", "load"):
        found = joint(run, event, path)
        if found is not None:
            yield found, "all ranks of this checkpoint have to name the same place"


def suspects(run: Run) -> Iterator[tuple[Access, str]]:
    yield from together_at(run)
    found_here = [replace(one, cause=cause) for one in accesses(run) if (cause := own_cause(one)) is not None]
    for access in found_here:
        if not all_ranks_here(run, access.path, access.event) or of_each_host(run, access):
            continue
        several = bin(access.mask).count("1") > 1
        if access.kind == "mkdir" and several and not private(access.value):
            yield access, "each rank makes a folder of its own"
        if access.kind in READS:
            other = next((one for one in found_here if one.kind in WRITES and foreign(one, access)), None)
            if other is not None:
                yield access, f"what is read here was written by another rank (line {other.event.at[0]})"
        elif access.kind != "mkdir":
            folder = next((one for one in found_here if one.kind == "mkdir" and made_for(one, access)), None)
            if folder is not None:
                yield access, f"the folder was made by another rank (line {folder.event.at[0]}), under its own name"


def own_cause(access: Access) -> Cause | None:
    """Why every rank has a name of its own; its number may stand in the name as well."""
    causes = (access.cause, *(lane_value(access.value, lane).cause for lane in access.lanes()))
    return next((cause for cause in causes if cause is not None and cause.kind in OWN), None)


def joint(run: Run, event: Event, path: tuple[object, ...]) -> Access | None:
    """A checkpoint that all ranks write or read together, at a place each names for itself."""
    call = event.extra.get("call")
    if not isinstance(call, Invocation) or call.row.does != "collective":
        return None
    for value in call.values:
        text = text_of(value)
        if text.cause is not None and text.cause.kind in OWN and bin(event.mask).count("1") > 1 and not data(text):
            size = run.world.size
            return Access(event.op, event, (), event.mask, ("",) * size, (0,) * size, text.cause, text)
    return None


def data(text: Value) -> bool:
    return not isinstance(text, Unknown | Row)


def foreign(write: Access, read: Access) -> bool:
    """Written by some ranks only, read by others: below one name that each rank drew for itself."""
    if not read.mask & ~write.mask or not write.mask:
        return read.mask != write.mask and bin(write.mask).count("1") > 1 and related(write, read)
    return related(write, read)


def related(write: Access, read: Access) -> bool:
    """Do both places start from one and the same draw?"""
    return any(overlap(one, other) for one in draws(write) for other in draws(read))


def draws(access: Access) -> set[str]:
    """The places as they were drawn, without the ranks that drew."""
    return {access.places[lane].removesuffix(f" of {lane}") for lane in access.lanes()}


def made_for(folder: Access, write: Access) -> bool:
    """Only some ranks make the folder, and a rank that does not writes into it."""
    return bool(write.mask & ~folder.mask) and folder.order < write.order and related(folder, write)


def source_of(access: Access) -> Step | None:
    steps = access.cause.steps() if access.cause is not None else ()
    return steps[0] if steps else None
