"""Who writes where the others write too?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

from dtlint.ir import nodes as ir
from dtlint.ir.functions import functions_of
from dtlint.ir.leftovers import held_by_nobody
from dtlint.machine.lanes import lanes_in
from dtlint.machine.library.computing.metrics import LOADER
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python import log_filters
from dtlint.machine.library.python.files import APPENDED, text_of
from dtlint.machine.logs import EXITS, Attempt, Call, Choice, LogNode, Loop, plain_question
from dtlint.machine.run import Run
from dtlint.machine.values import BY_RANK, BY_SHARE, Const, Object, Symbol, Unknown, Value, lane_value
from dtlint.timeline.arrays.lives import NOTHING, Use, exclude, part_of, sides
from dtlint.timeline.places.files import WRITES, Access, accesses, choices_of_files, overlap, same_node, together
from dtlint.timeline.places.found_done import found_done, found_missing, same_place
from dtlint.timeline.places.host_files import of_each_host
from dtlint.timeline.places.numbers import numbered
from dtlint.timeline.places.scores import under_one_name
from dtlint.timeline.programs import forgotten
from dtlint.timeline.ranks.arrivals import all_ranks_here, first_start, moment, own_starts
from dtlint.timeline.ranks.hints import OWN_DEVICE, RANK, locked, speaks_so, vaguely_guarded
from dtlint.timeline.records import recorded


def shared_writes(run: Run) -> Iterator[tuple[Access, int]]:
    for access in () if forgotten(run) else (under_one_name(run, one) for one in accesses(run)):
        if access.kind not in WRITES or not all_ranks_here(run, access.path, access.event) or tolerant(run, access):
            continue
        if access.call is not None and access.call.row.extra.get("log") and quiet_ranks(run):
            continue
        if turns(access) and (access.kind != "file-delete" or of_missing_work(run, access)):
            continue  # who comes first does the work, the others find it done
        if (
            locked(access.event, access.path)
            or access.event.extra.get("locked")
            or handed_on(run, access)
            or vaguely_guarded(run, access.event, access.path)
            or ends_before_start(run, access)
            or found_done(run, access)
            or of_a_failure(access)
            or for_its_own(access)
            or touches(run, access)
        ):
            continue
        if run.entry.kind == "function" and (
            not place_is_known(run, access) or left_to_callers(run, access.path) or chosen_by_rank(access)
        ):
            continue
        if of_each_host(run, access) or named_by_a_given_rank(run, access) or named_by_a_sample(run, access):
            continue
        lanes = together(access, run, whenever=turns(access)) & appending(run, access)
        if crowded(run, access, lanes):
            if (lanes | access.mask) & 1:
                yield access, lanes
            elif on_other_ways(run, access) & 1:  # without rank 0, the guard is the mistake
                yield access, lanes | on_other_ways(run, access)


def on_other_ways(run: Run, access: Access) -> int:
    """`if due or late and rank == 0:`: the ranks that come to the same place by another part of the question."""
    event = access.event
    same = (one.mask for one in accesses(run) if (one.event.path, one.event.at) == (event.path, event.at))
    return reduce(or_, same)


def for_its_own(access: Access) -> bool:
    """`if key in mine: save(key)`, below a loop over all keys: each of them is in one rank's part."""
    return any(
        isinstance(node, Choice)
        and node.cause is not None
        and node.cause.kind in BY_SHARE
        and node.symbol is not None
        and node.symbol.key[0] == "compare in"
        for node in access.path
    )


def touches(run: Run, access: Access) -> bool:
    """A file that is opened for more lines, by no name that any could be written to."""
    event = access.event
    if not str(event.extra.get("mode", "")).startswith("a"):
        return False
    return held_by_nobody(run.project.tree(event.path), *event.at[:2])


def appending(run: Run, access: Access) -> int:
    """Who writes to what is open: to open a file for more lines changes nothing in it."""
    given = [event.mask for event, _ in recorded(run, APPENDED) if event.extra["opened"] is access.event]
    return reduce(or_, given) if given else access.mask


def crowded(run: Run, access: Access, lanes: int) -> bool:
    """Do several ranks of one node write to one place? Our nodes have one rank besides the first, which stands for
    several, unless the name has its number on the node in it."""
    pairs = [(one, other) for one in lanes_in(lanes) for other in lanes_in(lanes) if one < other]
    if any(same_node(run, *pair) and access.places[pair[0]] == access.places[pair[1]] for pair in pairs):
        return True
    return lanes & followers(run) == followers(run) and not numbered(run, access)


def followers(run: Run) -> int:
    """All but the first of each node: the one that our nodes have stands for several."""
    world = run.world
    return sum(1 << lane for lane in range(world.size) if lane % world.per_host)


def turns(access: Access) -> bool:
    """Do some ranks come here before the others, with a meeting between?"""
    return len({access.clocks[lane] for lane in access.lanes()}) > 1


def handed_on(run: Run, access: Access) -> bool:
    """Does each rank wait for a message before it adds its lines, and send one afterwards? All but the first wait, all
    but the last send."""
    if access.event.extra.get("mode") != "a":
        return False
    here, waited, sent = moment(run, access.event), 0, 0
    for event, _ in recorded(run, "<p2p>"):
        if event.op == "recv" and moment(run, event) < here:
            waited |= event.mask
        elif event.op == "send" and moment(run, event) > here:
            sent |= event.mask
    missing = [access.event.mask & ~lanes for lanes in (waited, sent)]
    return missing[0] & missing[1] == 0 and all(lanes & (lanes - 1) == 0 for lanes in missing)


def of_missing_work(run: Run, access: Access) -> bool:
    """Does it depend on whether something else is there, which is so for whoever comes later, or on that there is no
    such file yet? Behind the first one there is."""
    asks = [
        (ask, choices)
        for ask in accesses(run)
        if ask.kind == "file-ask"
        and (choices := [node for node in choices_of_files(run, ask) if any(node is above for above in access.path)])
    ]
    if not asks:
        return False
    if not same_place(asks[0][0], access):
        return True
    taken = sides(Use(NOTHING, access.event, access.path))
    return any(
        node is choice and found_missing(run, choice, then)
        for ask, choices in asks
        if same_place(ask, access)
        for choice in choices
        for node, then in taken
    )


def named_by_a_given_rank(run: Run, access: Access) -> bool:
    """Has the name in it what the process group is told as the rank, a number from the command line, say, or what a
    thing that nobody knows calls its rank?"""
    given = (event.extra["call"].get("rank") for event, _ in recorded(run, "init") if "call" in event.extra)
    ranks = {rank.symbol for rank in given if isinstance(rank, Unknown)}
    held = lane_value(text_of(access.value), next(access.lanes()))
    if not isinstance(held, Unknown):
        return False
    words = RANK | OWN_DEVICE if run.entry.kind == "function" else RANK  # its callers know which device is whose
    return not ranks.isdisjoint(symbols_in(held.symbol)) or speaks_so(held.symbol, words)


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


def chosen_by_rank(access: Access) -> bool:
    """Does the first rank have a place of its own for it? Whoever wrote that knows who calls this."""
    return access.cause is not None and access.cause.kind in BY_RANK and len(set(access.places)) > 1


def place_is_known(run: Run, access: Access) -> bool:
    """Is it the same for all, whoever calls this function?"""
    return names_a_file(access) or by_default(run, access) or one_for_all(run, access) or said_to_all(run, access)


def names_a_file(access: Access) -> bool:
    """Is the place at least partly written here? What callers hand over may have the rank in it."""
    return all("/" in where.strip("/") and not where.endswith(">") for where in access.places if where)


def by_default(run: Run, access: Access) -> bool:
    """`def fetch(url, to="/tmp/model.pt")`: the place of all who hand over no other."""
    held = lane_value(text_of(access.value), next(access.lanes()))
    if not isinstance(held, Unknown) or held.symbol.key[0] != "parameter":
        return False
    return any(
        isinstance(param.default, ir.Const) and isinstance(param.default.value, str)
        for function, _ in functions_of(run.project.module(access.event.path))
        for param in function.params
        if held.symbol.key[1:] == (function.qualname, param.name)
    )


def said_to_all(run: Run, access: Access) -> bool:
    """Do all ranks get the same place from whoever calls: the launcher that has started them, or settings?"""
    return one_place(access) and (launched_alike(run) or is_setting(access))


def is_setting(access: Access) -> bool:
    """`options.folder`: a field of something that is handed over with many others in it."""
    held = lane_value(text_of(access.value), next(access.lanes()))
    key = held.symbol.key if isinstance(held, Unknown) else ()
    return key[:1] == ("attr",) and isinstance(key[1], Symbol) and key[1].key[0] in ("parameter", "attr")


def launched_alike(run: Run) -> bool:
    """Does the function begin a group whose ranks know who they are from a launcher? It has told them all the same,
    the place as well."""
    starts = [event.extra.get("call") for event in own_starts(run)]
    return bool(starts) and not any(isinstance(call, Invocation) and told_its_rank(call) for call in starts)


def one_place(access: Access) -> bool:
    """Is it the same in every turn? What callers give to be walked over may be this rank's part, and so what names a
    file in it, or comes out of a model for it."""
    held = lane_value(text_of(access.value), next(access.lanes()))
    made_of = symbols_in(held.symbol) if isinstance(held, Unknown) else ()
    return not any(one.key[0] == "output" or (one.key[0] == "item" and len(one.key) == 2) for one in made_of)


def told_its_rank(call: Invocation) -> bool:
    return isinstance(call.get("rank"), Unknown)


def one_for_all(run: Run, access: Access) -> bool:
    """Does the first rank write there, or below it, alone as well? Nobody guards what each rank has a place of its own
    for."""
    here, place = Use(NOTHING, access.event, access.path), access.places[next(access.lanes())]
    return any(
        other.kind in WRITES
        and other.mask == 1
        and (other.places[0] == place or other.places[0].startswith(f"{place}/"))
        and not exclude(Use(NOTHING, other.event, other.path), here)
        for other in accesses(run)
    )


def ends_before_start(run: Run, access: Access) -> bool:
    """Is this on a side of the program that ends it, with nothing distributed begun: one that is run by itself?"""
    above = sides(Use(NOTHING, access.event, access.path))
    ending = any(choice.exits[0 if then else 1] == "exit" for choice, then in above)
    return ending and moment(run, access.event) < first_start(run)


def tolerant(run: Run, access: Access) -> bool:
    """Calls that say they do not mind: the folder may be there, the file may be gone."""
    call = access.call
    if call is None:
        return False
    if call.row.extra.get("repeatable"):
        return True
    if access.kind == "mkdir":
        return forgiving(call.get("exist_ok")) or failure_caught(access)
    if access.kind == "file-delete":
        swept = forgiving(call.get("ignore_errors")) and not filled_again(run, access)
        return swept or forgiving(call.get("missing_ok")) or failure_caught(access)
    if access.kind in ("download", "unpack"):
        return access.cause is not None
    if access.event.extra.get("mode") == "x":
        return failure_caught(access)  # whoever comes first makes the file
    return False


def filled_again(run: Run, deleted: Access) -> bool:
    """Does anything come to this place later, or in the next turn, which who is late would delete as well?"""
    around = {id(node) for node in deleted.path if isinstance(node, Loop)}
    return any(
        (other.order > deleted.order or not around.isdisjoint(id(node) for node in other.path))
        and any(overlap(other.places[lane], deleted.places[lane]) for lane in other.lanes())
        for other in accesses(run)
        if other.kind in WRITES and other.kind != "file-delete"
    )


def quiet_ranks(run: Run) -> bool:
    """Does each rank's log get a level or a filter by its rank? Then the others add no more than their errors."""
    for event, _ in recorded(run, log_filters.LEVEL):
        call = event.extra.get("call")
        level = call.get("level") if isinstance(call, Invocation) else None
        if event.mask != run.world.full or (level is not None and level.cause is not None) or "by rank" in event.extra:
            return True
    return False


def of_its_own(choice: Choice) -> bool:
    return choice.cause is not None and choice.cause.kind == "data"


def of_a_failure(access: Access) -> bool:
    """Below a handler that a rank comes to when something fails on it, and writes while the others do not; or all come
    to it, say what has failed, and end. So does `if isnan(loss): save(batch)`, and it raises."""
    use = Use(NOTHING, access.event, access.path)
    if any(choice.exits[0 if then else 1] == "raise" and of_its_own(choice) for choice, then in sides(use)):
        return True
    for node in access.path:
        if isinstance(node, Attempt) and (part := part_of(node, use)) > 0:
            handler = node.handlers[part - 1]
            ending = handler.exit in ("raise", *EXITS)
            alone = node.kind != "exit" and (ending or not handler.shared)  # at its end comes every rank
            if alone and "KeyboardInterrupt" not in handler.types:  # that comes to all of them
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
