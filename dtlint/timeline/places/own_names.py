"""Which shared place is named by each rank for itself?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dtlint.findings import Step
from dtlint.machine.library.computing.provenance import inner_symbols
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import evidence
from dtlint.machine.library.python.files import text_of
from dtlint.machine.logs import Event, Loop, implied
from dtlint.machine.run import Run
from dtlint.machine.values import Cause, Object, Row, Symbol, Unknown, Value, lane_value
from dtlint.timeline.places.files import READS, WRITES, Access, accesses, overlap, private
from dtlint.timeline.places.host_files import of_each_host
from dtlint.timeline.places.races import CONTENT
from dtlint.timeline.places.two_lanes import answers_to, chosen
from dtlint.timeline.places.wrong_scopes import on_a_second_machine_only
from dtlint.timeline.programs import in_a_test
from dtlint.timeline.ranks.arrivals import all_ranks_here, meeting_functions, started
from dtlint.timeline.ranks.hints import vaguely_guarded
from dtlint.timeline.records import recorded

OWN = frozenset({"clock", "random", "process", "host"})
MOST = 400  # symbols that are looked through
DRAWN = "source"  # symbol: what a call told this rank alone
FILLED = WRITES - {"mkdir", "file-delete"}  # a folder that each has made for itself has in it what each puts there


def rank_local_names(run: Run) -> Iterator[tuple[Access, Step | None, str]]:
    if in_a_test(run.entry.path) or evidence.alone(run):
        return
    whole = run.entry.kind == "script" and started(run)
    seen: set[tuple[str, int]] = set()
    for access, told in suspects(run, whole):
        source = source_of(access)
        place = (source.path, source.line) if source is not None else (access.event.path, access.event.at[0])
        if place not in seen:
            seen.add(place)
            yield access, source, told


def together_at(run: Run) -> Iterator[tuple[Access, str]]:
    """What all ranks save or load together, whoever calls."""
    for event, _ in recorded(run, "file-write", "load"):
        found = joint(run, event)
        if found is not None and evidence.with_others(run, event):
            yield found, "all ranks of this checkpoint have to name the same place"
    for event, _ in recorded(run, "<collective>"):
        call = event.extra.get("call")
        if isinstance(call, Invocation) and "saves" in call.row.extra and is_sharded(call.receiver):
            found = joint(run, event)
            if found is not None:
                yield found, "each rank saves its part of the parameters there, and all have to name the same place"


def names_own_place(event: Event, argument: str) -> bool:
    """Is this argument of a checkpoint that all ranks save the part of its name that each makes for itself?"""
    call = event.extra.get("call")
    if not isinstance(call, Invocation) or call.row.record not in WRITES:
        return False
    value = call.get(argument)
    return value is not None and value.cause is not None and value.cause.kind in OWN


def suspects(run: Run, whole: bool) -> Iterator[tuple[Access, str]]:
    """Where nobody is seen calling, only what is written and read again says that the ranks mean the same place."""
    yield from together_at(run)
    found_here = [
        replace(one, cause=cause, mask=owners(one)) for one in accesses(run) if (cause := own_cause(one)) is not None
    ]
    for access in found_here:
        if not all_ranks_here(run, access.path, access.event) or of_each_host(run, access):
            continue
        if vaguely_guarded(run, access.event, access.path):
            continue  # one rank may do this alone
        sure = whole or (access.event.path, access.event.function) in meeting_functions(run)
        if sure and access.kind == "mkdir" and several_on_a_host(run, access) and not private(access.value):
            yield access, "each rank makes a folder of its own"
        if access.kind in READS:
            used = access.kind != "listing" or any(loads_from(one, access) for one in accesses(run))
            filled = (one for one in found_here if one.kind in FILLED and (used or comes_before(one, access)))
            other = next((one for one in filled if foreign(one, access)), None)
            if other is not None and not finds_nothing(other, access):
                yield access, f"what is read here was written by another rank (line {other.event.at[0]})"
        elif access.kind != "mkdir":
            folder = next((one for one in found_here if one.kind == "mkdir" and made_for(run, one, access)), None)
            if folder is not None:
                yield access, f"the folder was made by another rank (line {folder.event.at[0]}), under its own name"


def comes_before(write: Access, read: Access) -> bool:
    """Is there something to list by then, or after a turn of a loop around both? Who loads what is there holds that it
    is there, whoever has written it."""
    around = [node for node in read.path if isinstance(node, Loop)]
    return write.order < read.order or any(node is one for node in write.path for one in around)


def loads_from(load: Access, listing: Access) -> bool:
    return load.kind in CONTENT and load.order > listing.order and related(listing, load)


def finds_nothing(write: Access, read: Access) -> bool:
    """Does each rank look for what is in a temporary folder of its own, and so does whoever puts something there? The
    others find nothing, and have nothing to do."""
    return read.kind == "listing" and private(read.value) and not write.mask & ~read.mask


def own_cause(access: Access) -> Cause | None:
    """Why every rank has a name of its own; its number may stand in the name as well."""
    values = [lane_value(access.value, lane) for lane in access.lanes()]
    causes = (access.cause, *(value.cause for value in values))
    cause = next((cause for cause in causes if cause is not None and cause.kind in OWN), None)
    if cause is None or not chosen(access):
        return cause
    answers = answers_to(access)
    return cause if any(own_if(value, answers) for value in values) else None


def own_if(value: Value, answers: dict[Symbol, bool]) -> bool:
    """`name = fixed if resumes else by_clock`: is it still drawn, as the questions on the way there are answered?"""
    return not isinstance(value, Unknown) or any(one.key[0] == DRAWN for one in symbols_if(value.symbol, answers))


def symbols_if(symbol: Symbol, answers: dict[Symbol, bool]) -> Iterator[Symbol]:
    """The symbol and those it was computed from, on the sides that were taken."""
    todo, seen = [symbol], set[int]()
    while todo and len(seen) < MOST:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        answer = implied(one.key[1], answers) if one.key[0] == "phi" and answers else None
        if answer is None:
            yield one
        todo.extend(inner_symbols(one.key if answer is None else one.key[2 if answer else 3 :][:1]))


def owners(access: Access) -> int:
    """The ranks whose name it is: if one rank alone has named it, the others have another name."""
    if not isinstance(access.value, Row):
        return access.mask
    own = (lane for lane in access.lanes() if (cause := lane_value(access.value, lane).cause) and cause.kind in OWN)
    return sum(1 << lane for lane in own) or access.mask


def several_on_a_host(run: Run, access: Access) -> bool:
    """Do two ranks of one host make a folder each? The first of each host makes one for the host, as is often meant."""
    nodes = run.world.nodes()
    hosts = [nodes[lane] for lane in access.lanes()]
    return len(set(hosts)) < len(hosts)


def joint(run: Run, event: Event) -> Access | None:
    """A checkpoint that all ranks write or read together, at a place each names for itself."""
    call = event.extra.get("call")
    if not isinstance(call, Invocation) or call.row.does != "collective":
        return None
    for value in (*call.values, *folder_of(call.receiver)):
        text = text_of(value)
        if text.cause is not None and text.cause.kind in OWN and bin(event.mask).count("1") > 1 and not data(text):
            size = run.world.size
            return Access(event.op, event, (), event.mask, ("",) * size, (0,) * size, text.cause, text)
    return None


def is_sharded(trainer: Value | None) -> bool:
    return isinstance(trainer, Object) and bool(trainer.facts.get("sharded"))


def folder_of(manager: Value | None) -> Iterator[Value]:
    """`CheckpointManager(folder).save(step, …)`: where it saves was said when it was made, or by its arguments."""
    made = manager.facts.get("call") if isinstance(manager, Object) else None
    if isinstance(manager, Object) and isinstance(made, Invocation) and "args" in manager.attributes:
        told = manager.attributes["args"]
        made = told.facts.get("call", made) if isinstance(told, Object) else made
    folder = made.get(made.row.extra.get("path", "")) if isinstance(made, Invocation) else None
    if folder is not None:
        yield folder


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


def made_for(run: Run, folder: Access, write: Access) -> bool:
    """Only some ranks make the folder, and a rank that does not writes into it."""
    others = write.mask & ~folder.mask
    if not others or folder.order >= write.order or on_a_second_machine_only(run, others):
        return False
    return related(folder, write)


def source_of(access: Access) -> Step | None:
    steps = access.cause.steps() if access.cause is not None else ()
    return steps[0] if steps else None
