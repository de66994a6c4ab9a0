"""Does every rank of the job come here, as far as the run shows?"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from dtlint.findings import Step
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.evidence import ASKED, alone, evidence, hosts_meet, of_one
from dtlint.machine.library.meeting.origins import SITES, SPAWNED, WORKED, spawns
from dtlint.machine.logs import Call, Decision, Event, LogNode, plain_question
from dtlint.machine.run import SEEN, Run
from dtlint.machine.starts.entries import CALLED_ALONE, CALLED_ON_ALL, HELD_BY_ALL, MADE
from dtlint.machine.values import Symbol
from dtlint.timeline.arrays.lives import NOTHING, Use, across, guarding, sides
from dtlint.timeline.options import asked_by_itself, left_out_nowhere
from dtlint.timeline.places.files import WRITES, acting
from dtlint.timeline.programs import in_a_test
from dtlint.timeline.records import guards_over, recorded
from dtlint.timeline.symbols import worth


def distributed_step(run: Run) -> tuple[Step, ...]:
    step = evidence(run).step
    return (step,) if step is not None else ()


BEGINS = frozenset({"init", "boost", "mesh"})  # a group of ranks
STARTS = BEGINS | {"fit", "wrap", "prepare", "fully_shard"}


def started(run: Run) -> bool:
    """Does this run start or wrap something distributed? Asking a process group that may be there shows less: library
    code does it for the day it is run by several ranks."""
    known: bool | None = run.cache.get("started")
    if known is None:
        events = [event for event, _ in recorded(run, "<collective>", "init")]
        asked = bool(run.facts.get(ASKED)) or any(lets_go_first(run, event) for event in events)
        asked = asked or run.project.started.as_several_processes(run.entry.path)
        begun = any((event.op in STARTS or (event.op == "train" and asked)) and not of_one(event) for event in events)
        known = not alone(run) and (spawns(run) or begun)
        run.cache["started"] = known
    return known


def all_ranks_here(run: Run, path: tuple[LogNode, ...], event: Event) -> bool:
    """Is this reached by every rank of the job, as far as the run shows? Functions nobody calls may be guarded by
    callers that were not seen, and what scripts run as well is judged there; before a spawn there is one process."""
    if in_a_test(run.entry.path):
        return False
    if run.entry.kind == "function":
        comes = everyone_has_one if in_constructor(run, event, path) else everyone
        here = (event.path, event.function)
        judged = here in run.facts[SEEN] or aside(run, path, event)
        return (comes(run) or with_the_others(run, path) or begun_in(run, path, event)) and not judged
    if run.entry.kind != "script":
        return False
    if not started(run):
        here = (event.path, event.function)
        callers = {(node.path, node.caller) for node in path if isinstance(node, Call)}  # and to all that these call
        if alone(run) or aside(run, path, event):
            return False
        return here in meeting_functions(run) or not functions_of_all(run).isdisjoint({here, *callers})
    if before_start(run) or instead_of_start(run, path, event):
        return False
    spawned = run.facts.get(SPAWNED) or run.facts.get(WORKED)
    if isinstance(spawned, set):
        sites = run.facts[SITES]  # the same function may also be called as it is, in one process
        return any(
            isinstance(node, Call) and (node.callee_path, node.function) in spawned and (node.path, node.at) in sites
            for node in path
        )
    return not spawned


def instead_of_start(run: Run, path: tuple[LogNode, ...], event: Event) -> bool:
    """Is this on the other side of a branch than whatever starts several ranks? Or is the side a program of its own,
    after which it leaves, for an option that the documents give where they start one process only, or for who leaves
    out what they give wherever they start several? Then it is for one process."""
    for choice, then in sides(Use(NOTHING, event, path)):
        leaves = choice.exits[0 if then else 1]
        if (leaves and asked_by_itself(run, choice.symbol, then)) or left_out_nowhere(run, choice.symbol, then):
            return True
    known = [Use(NOTHING, one, above) for one, above in recorded(run, *STARTS, "<collective>")]
    starts = [one for one in known if one.event.op in BEGINS] or known
    here = Use(NOTHING, event, path)
    if launched_by_nobody(run, here):
        return True
    return across(here, starts) or (bool(starts) and all(otherwise_asked(here, one) for one in starts))


def launched_by_nobody(run: Run, here: Use) -> bool:
    """On the side of `"RANK" in os.environ` where the variable is missing, and where no other launcher has set its
    own: `elif "SLURM_PROCID" in os.environ:`. Processes that the program starts itself go without; who calls
    a function of its own isn't known."""
    if run.entry.kind != "script" or run.facts.get(SPAWNED) or run.facts.get(WORKED):
        return False
    questions = [(plain_question(choice.symbol), then) for choice, then in sides(here)]
    known = [(asked, then is given) for (asked, given), then in questions if asked is not None]
    missing = any(not there and asks_for(asked, run.knowledge.launched) for asked, there in known)
    return missing and not any(there and asks_for(asked, run.knowledge.environment) for asked, there in known)


def asks_for(asked: Symbol, variables: Container[str]) -> bool:
    """`"RANK" in os.environ`, `"RANK" in os.environ and "WORLD_SIZE" in os.environ`"""
    kind, *parts = asked.key
    if kind == "and":
        return all(isinstance(part, Symbol) and asks_for(part, variables) for part in parts)
    return kind == "compare in" and parts[0] in variables and parts[1:] == ["os.environ"]


def otherwise_asked(here: Use, start: Use) -> bool:
    """Do the answers on the way here rule out those on the way to a start: `if sharded or replicated: init()`, and here
    neither of them is so?"""
    asked = ((plain_question(choice.symbol), then) for choice, then in sides(here))
    answers = {symbol: int(then is given) for (symbol, given), then in asked if symbol is not None}
    for choice, then in guarding(start) if answers else ():
        found = worth(choice.symbol, answers)
        if found is not None and bool(found) != then:
            return True
    return False


def begun_in(run: Run, path: tuple[LogNode, ...], event: Event) -> bool:
    """Does a function nobody calls begin the group itself, for what is done on the way here as well? Then every rank
    runs it, as it would run a script; what its instance has begun when it was made shows nothing of a method."""
    if alone(run) or not any(True for _ in own_starts(run)) or in_constructor(run, event, path):
        return False
    return not before_start(run) and not instead_of_start(run, path, event)


def own_starts(run: Run) -> Iterator[Event]:
    """Where a function nobody calls begins a group that it does not spawn the ranks of."""
    spawned = run.facts.get(SPAWNED) or run.facts.get(WORKED)
    for start, above in () if spawned else recorded(run, "init"):
        if not of_one(start) and not in_constructor(run, start, above):
            yield start


def everyone(run: Run) -> bool:
    """Does a function nobody calls show by itself that all ranks run it? It meets the others whoever it is, it takes
    its share of the samples, it has a part of its own work done by one rank, or a framework calls it on all of them."""
    known: bool | None = run.cache.get("everyone")
    if known is None:
        known = not run.facts.get(CALLED_ALONE) and (
            bool(run.facts.get(CALLED_ON_ALL))
            or (run.entry.path, run.entry.name) in functions_of_all(run)
            or any(meets_all(run, one, path) for one, path in own_events(run))
            or any(takes_its_share(run, one, path) for one, path in recorded(run, "sampler"))
        )
        run.cache["everyone"] = known
    return known


def with_the_others(run: Run, path: tuple[LogNode, ...]) -> bool:
    """Does a function on the way here meet the others itself, whoever calls it?"""
    return not run.facts.get(CALLED_ALONE) and any(
        isinstance(one, Event) and of_all(run, one) for node in path if isinstance(node, Call) for one in node.log.nodes
    )


def everyone_has_one(run: Run) -> bool:
    """Does every rank make an instance? Then all come to its constructor: a method of it meets the others somewhere."""
    known: bool | None = run.cache.get("everyone has one")
    if known is None:
        known = run.cache["everyone has one"] = (
            bool(run.facts.get(HELD_BY_ALL)) or everyone(run) or any(of_all(run, one) for one, _ in own_events(run))
        )
    return known


def own_events(run: Run) -> Iterator[tuple[Event, tuple[LogNode, ...]]]:
    for node, path in run.walk():
        if isinstance(node, Event) and not in_constructor(run, node, path):
            yield node, path


def in_constructor(run: Run, event: Event, path: tuple[LogNode, ...]) -> bool:
    """Does it belong to what made the instance that the method is entered on?"""
    first = path[0] if path else event
    return any(node is first for node in run.log.nodes[: run.facts.get(MADE, 0)])


def meets_all(run: Run, event: Event, path: tuple[LogNode, ...]) -> bool:
    """A meeting of the function's own: under no condition, or one that lets some of them go first."""
    if event.kind != "collective" or calls_below(run, event, path) > 1:
        return False
    if lets_go_first(run, event):
        return True
    return of_all(run, event) and not any(decision.kind == "branch" for decision in guards_over(event, path))


def takes_its_share(run: Run, event: Event, path: tuple[LogNode, ...]) -> bool:
    """A sampler of this rank's part, made under no condition: each of the others makes one."""
    call = event.extra.get("call")
    of_a_rank = isinstance(call, Invocation) and bool(call.row.extra.get("needs_group"))
    if not of_a_rank or event.mask != run.world.full or in_constructor(run, event, path):
        return False
    return calls_below(run, event, path) <= 1 and not any(one.kind == "branch" for one in guards_over(event, path))


def lets_go_first(run: Run, event: Event) -> bool:
    """Is it for one rank to go before the others? Nobody writes that who has one rank only."""
    row = run.knowledge.api(event.api)
    return row is not None and row.kind in ("first", "local_first")


def of_all(run: Run, event: Event) -> bool:
    full = run.world.full
    whole = event.group is None or all(members == full for members in event.group.members)
    meets = event.kind == "collective" or event.op in ("wrap", "prepare")
    return meets and event.mask == full and whole and hosts_meet(run, event)


def calls_below(run: Run, event: Event, path: tuple[LogNode, ...]) -> int:
    """How many calls below the function of this entry? What it does with the items of a generator stands in its log
    below the generator, and is its own."""
    if (event.path, event.function) == (run.entry.path, run.entry.name):
        return 0
    count = 0
    for node in path:
        if isinstance(node, Call):
            count = 1 if (node.path, node.caller) == (run.entry.path, run.entry.name) else count + 1
    return count


def aside(run: Run, path: tuple[LogNode, ...], event: Event) -> bool:
    """Do some ranks do the very same for all on the other side of a branch: `if several: if rank == 0: save()`, and
    `else: save()`? Then this may be the side of one process, with all that stands on it."""
    if run.facts.get(CALLED_ON_ALL):
        return False
    here = Use(NOTHING, event, path)
    taken = [(choice.decision, then) for choice, then in sides(here)]
    for free, guarded in done_by_some_or_all(run):
        if across(here, guarded):
            own = any(one.event is event for one in free)
            if own or any(
                one is choice and then == side for choice, side in ways_of_one(free, guarded) for one, then in taken
            ):
                return True
    return False


def ways_of_one(free: list[Use], guarded: list[Use]) -> list[tuple[Decision | None, bool]]:
    """The answers that lead to where all do it, and not to where some do it for all."""
    others = [(choice.decision, then) for one in guarded for choice, then in guarding(one)]
    return [
        (choice.decision, then)
        for one in free
        for choice, then in sides(one)
        if any(choice.decision is decision and then != side for decision, side in others)
    ]


def done_by_some_or_all(run: Run) -> list[tuple[list[Use], list[Use]]]:
    """What is done at one place by all ranks and, on another way there, by some of them for all."""
    known: list[tuple[list[Use], list[Use]]] | None = run.cache.get("done by some or all")
    if known is None:
        places: dict[tuple[object, ...], tuple[list[Use], list[Use]]] = {}
        for event, path in recorded(run, *WRITES):
            free, guarded = places.setdefault((event.op, event.path, event.at), ([], []))
            (free if event.mask == run.world.full else guarded).append(Use(NOTHING, event, path))
        known = run.cache["done by some or all"] = [one for one in places.values() if all(one)]
    return known


def functions_of_all(run: Run) -> set[tuple[str, str]]:
    """Functions that have a part of their work, which all ranks need once, done by one of them (`if rank == 0:`,
    `is_main_process=…`), or let one of them tell a tracker: all ranks come here. So they come to a method that calls
    such a one of its own thing, whatever happens."""
    known: set[tuple[str, str]] | None = run.cache.get("functions of all")
    if known is None:
        known = run.cache["functions of all"] = set()
        for event, path in recorded(run, *WRITES, "log-init", "log"):
            call = event.extra.get("call")
            if isinstance(call, Invocation) and event.mask & ~acting(call):
                known.add((event.path, event.function))
            for decision in guards_over(event, path):
                if decision.cause is not None and decision.cause.kind in ("rank", "local rank"):
                    if decision.before == run.world.full and decision.taken != decision.before:
                        known.add((decision.path, decision.function))
                        known.update(methods_above(run, path, decision.path, decision.function))
    return known


def methods_above(run: Run, path: tuple[LogNode, ...], file: str, function: str) -> Iterator[tuple[str, str]]:
    """The methods of the same class that call this one with all ranks and under no condition."""
    for position in range(len(path) - 1, -1, -1):
        node = path[position]
        if not isinstance(node, Call) or (node.callee_path, node.function) != (file, function):
            continue
        own = function.rpartition(".")[0]
        if not own or node.caller.rpartition(".")[0] != own or node.path != file or node.mask != run.world.full:
            return
        if not all(isinstance(above, Call) for above in path[:position]):
            return
        function = node.caller
        yield file, function


def meeting_functions(run: Run) -> set[tuple[str, str]]:
    """Functions that call a collective of all ranks by its name: somebody else has started the ranks."""
    known: set[tuple[str, str]] | None = run.cache.get("meeting functions")
    if known is None:
        known = run.cache["meeting functions"] = {
            (event.path, event.function)
            for event, _ in recorded(run, "<collective>")
            if not event.implicit and event.op != "new_group" and of_all(run, event)
        }
    return known


SPAWNS = re.compile(r"\bspawn(_process\w*)?\s*\(")  # a call: `set_start_method("spawn")` starts nobody


def before_start(run: Run) -> bool:
    """The file that starts the ranks also spawns processes, and this is not below the start: one process so far."""
    step = evidence(run).step
    if step is None or spawns(run):
        return False
    return SPAWNS.search(run.project.text(step.path)) is not None


def moment(run: Run, event: Event) -> int:
    """The place of an event in the order of the program."""
    known: dict[int, int] | None = run.cache.get("moments")
    if known is None:
        known = run.cache["moments"] = {id(node): number for number, (node, _) in enumerate(run.walk())}
    return known.get(id(event), 0)


def first_start(run: Run) -> int:
    starts = [event for event, _ in recorded(run, "<collective>", "init") if event.op in STARTS]
    return min((moment(run, event) for event in starts), default=0)
