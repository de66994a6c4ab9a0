"""What does a data set do when a loader asks it for samples?

Its `__iter__` or `__getitem__` is run as a loader worker would run it, in a log of its own and without lasting effects,
to see what the samples depend on: the rank, the worker, the index, generators made elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from dtlint.machine import library
from dtlint.machine.contents import containers
from dtlint.machine.core import IN_WORKER, Machine, OutOfBudget
from dtlint.machine.functions import calls
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Choice, Decision, Event, Log, Loop, decisions
from dtlint.machine.names import classes
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import BY_SHARE, NONE, TRUE, Bound, ClassRef, FunctionRef, Object, Symbol, Unknown, Value
from dtlint.machine.walks import walk

WRAPPERS = ("torch.utils.data.Subset", "torch.utils.data.ConcatDataset", "torch.utils.data.ChainDataset")
COST = 20_000
SAMPLE = "sample"  # the event of one sample that is handed out
COUNTED = ("id", "num_workers")  # by these the workers divide what there is
OF_WORKER = ("id", "num_workers", "seed", "dataset")  # what a worker is told of itself
COPIED = "copied to workers"  # fact: the data set of which every worker has a copy
NUMBER = "worker number"  # symbol
TURN = ("loop", "index")  # symbols of what is counted in a loop
INFO = "worker info"  # symbol


@dataclass(slots=True)
class Inside:
    iterable: bool = False
    values: list[Value] = field(default_factory=list)
    held: list[Value] = field(default_factory=list)  # with what was in them by then, which is forgotten afterwards
    guards: list[tuple[Decision, ...]] = field(default_factory=list)
    log: Log = field(default_factory=Log)
    known: bool = False  # was there project code to run?
    cut: bool = False  # too expensive, or too deep

    def hand_out(self, value: Value) -> None:
        self.values.append(value)
        self.held.extend(provenance.parts(value))

    def events(self, op: str) -> list[Event]:
        return [node for node, _ in walk(self.log) if isinstance(node, Event) and node.op == op]


def project_datasets(machine: Machine, dataset: Value, depth: int = 4) -> list[Object]:
    """The data sets of the project below torch's wrappers and attributes that hold data sets."""
    if not isinstance(dataset, Object) or depth <= 0:
        return []
    if isinstance(dataset.kind, ClassRef):
        found = [dataset]
        for held in dataset.attributes.values():
            if isinstance(held, Object) and is_dataset(machine, held):
                found.extend(project_datasets(machine, held, depth - 1))
        return found
    several = containers.items_of(machine, dataset.attributes.get("datasets", NONE)) or ()
    wrapped = (dataset.attributes.get("dataset"), *several)
    return [one for part in wrapped if part is not None for one in project_datasets(machine, part, depth - 1)]


def is_dataset(machine: Machine, value: Value) -> bool:
    if not isinstance(value, Object):
        return False
    if isinstance(value.kind, ClassRef):
        if classes.is_a(machine, value, "torch.utils.data.Sampler"):
            return False  # what it gives are numbers: whoever asks it for them makes the samples
        return (
            classes.in_class(machine, value.kind, "__getitem__") is not None
            or classes.in_class(machine, value.kind, "__iter__") is not None
        )
    return "torch.utils.data.Dataset" in machine.knowledge.ancestors(value.kind)


def is_iterable(machine: Machine, dataset: Value) -> bool:
    if not isinstance(dataset, Object):
        return False
    if classes.is_a(machine, dataset, "torch.utils.data.IterableDataset"):
        return True
    if isinstance(dataset.kind, ClassRef):
        return (
            classes.in_class(machine, dataset.kind, "__getitem__") is None
            and classes.in_class(machine, dataset.kind, "__iter__") is not None
        )
    made = dataset.facts.get("call")
    return isinstance(made, Invocation) and made.get("streaming") == TRUE


def look(
    machine: Machine,
    dataset: Object,
    mask: int,
    collate: Value | None = None,
    worker: bool | None = None,
    workers: int | None = None,
    start: Value | None = None,
) -> Inside:
    """Run the code that makes samples, maybe in a worker; `worker` tells whether that has a start of its own, `workers`
    how many of them there are, and `start` is what the project has each of them do first."""
    from dtlint.machine.library.drawing import seeds

    made = Inside(iterable=is_iterable(machine, dataset))
    assert isinstance(dataset.kind, ClassRef)
    method = classes.in_class(machine, dataset.kind, "__iter__" if made.iterable else "__getitem__")
    if not isinstance(method, FunctionRef):
        return made
    made.known = True

    with aside(machine, made, mask) as base:
        if worker is not None:
            seeds.enter_worker(machine, worker)
        if workers is not None or start is not None:
            machine.facts[IN_WORKER] = start is not None or bool(workers)
        if start is not None:
            calls.call_value(machine, start, (worker_number(machine),), (), mask)

        def on_yield(value: Value, lanes: int) -> None:
            made.hand_out(value)
            made.guards.append(decisions_above(machine, base))
            machine.emit_event("end", SAMPLE, "", lanes)

        if made.iterable:
            walk_over(machine, calls.follow(machine, method, dataset, (), (), mask), mask, on_yield)
            if not made.values:
                made.cut = True
        else:
            index = machine.unknown("index", dataset.number, tags=frozenset({("index", dataset.number)}))
            value = calls.follow(machine, method, dataset, (index,), (), mask)
            on_yield(value, mask)
        if collate is not None and of_project(collate):
            calls.call_value(machine, collate, (machine.new_list(tuple(made.values[:1]), mask),), (), mask)
    return made


def of_project(function: Value) -> bool:
    """A function, a method, or an instance that is called like one."""
    held = isinstance(function, Object) and isinstance(function.kind, ClassRef)
    return held or isinstance(function, FunctionRef | Bound)


def called(machine: Machine, function: Value, arguments: tuple[Value, ...], mask: int) -> Inside:
    """Call a function as somebody else would, in another place and at another time."""
    made = Inside(known=True)
    with aside(machine, made, mask):
        made.hand_out(calls.call_value(machine, function, arguments, (), mask))
    return made


def start_worker(machine: Machine, function: Value, mask: int) -> Inside:
    """Run a `worker_init_fn` as a worker would."""
    return called(machine, function, (worker_number(machine),), mask)


def worker_number(machine: Machine) -> Value:
    number = machine.unknown(NUMBER, 0, tags=frozenset({provenance.WORKER}))
    machine.symbols.lasting.add(number.symbol)
    return number


@contextmanager
def aside(machine: Machine, made: Inside, mask: int) -> Iterator[Frame]:
    """Run something in a log of its own and without lasting effects."""
    saved = (machine.sinks, machine.frame, machine.current_at, machine.depth, machine.facts)
    frame = machine.frame
    left, leavings, guards = frame.left, list(frame.leavings), frame.guards
    mark = len(machine.journal)
    machine.sinks = [(made.log, mask)]
    machine.facts.setdefault("order states", {})  # shared: what is found inside is asked for later
    machine.facts = {**machine.facts, "inside": machine.facts.get("inside", 0) + 1}
    try:
        with machine.at_most(COST):
            yield frame
    except (OutOfBudget, RecursionError):
        made.cut = True
    finally:
        machine.rollback(mark)
        machine.sinks, machine.frame, machine.current_at, machine.depth, machine.facts = saved
        frame.left, frame.guards = left, guards
        frame.leavings[:] = leavings


def walk_over(machine: Machine, value: Value, mask: int, on_yield: Any) -> None:
    """Whatever `__iter__` gave: a generator, or an iterator over something."""
    if isinstance(value, Object) and value.kind == "<generator>":
        calls.resume(machine, value, mask, on_yield)
        return
    on_yield(library.reading.element(machine, library.reading.iterated(machine, value, mask), mask), mask)
    on_yield(value, mask)


def decisions_above(machine: Machine, base: Any) -> tuple[Decision, ...]:
    found: list[Decision] = []
    frame = machine.frame
    while frame is not None and frame is not base:
        found.extend(decisions(frame.guards))
        frame = frame.caller  # type: ignore[assignment]
    return tuple(found)


# --- what it depends on ----------------------------------------------------------------------------------------


def is_worker(symbol: Symbol) -> bool:
    """`get_worker_info().id` or `.num_workers`, or what a `worker_init_fn` is given."""
    key = symbol.key
    asked = key[0] == "attr" and len(key) > 2 and key[2] in COUNTED and isinstance(key[1], Symbol)
    return asked or key[0] == NUMBER


def is_info(symbol: Any) -> bool:
    """What `get_worker_info()` gives where nobody knows whether there are workers."""
    return isinstance(symbol, Symbol) and symbol.key[0] == INFO


def knows_worker(value: Value) -> bool:
    return provenance.mentions(
        value,
        lambda symbol: is_worker(symbol) and any(one.key[0] in (INFO, NUMBER) for one in provenance.symbols_in(symbol)),
        3,
    )


def rank_decisions(made: Inside) -> list[Decision]:
    """The guards in front of samples that depend on the rank: those of functions that hand samples on. Another one that
    is asked what comes next leaves out nothing."""
    found: list[Decision] = []
    held = [decision for guards in made.guards for decision in guards]
    handing = {(event.path, event.function) for event in made.events(SAMPLE)}
    for node, above in walk(made.log):
        if isinstance(node, Choice) and any(node.exits):
            if (node.decision.path, node.decision.function) in handing:
                held.append(node.decision)
        elif isinstance(node, Event) and node.op == SAMPLE:
            # also the branches of generators that this one walks over
            held += [outer.decision for outer in above if isinstance(outer, Choice)]
    for decision in held:
        if decision.cause is not None and decision.cause.kind in BY_SHARE and decision not in found:
            found.append(decision)
    return found


def loop_decision(made: Inside, wanted: Any) -> Decision | None:
    """The loop whose iterable passes a test."""
    for node, _ in walk(made.log):
        if isinstance(node, Loop) and node.subject is not None and wanted(node.subject):
            return node.decision
    return None


def loops(made: Inside) -> Iterator[Value]:
    """What the loops in there walk over."""
    for node, _ in walk(made.log):
        if isinstance(node, Loop) and node.subject is not None:
            yield node.subject


def dealt_in_turn(made: Inside) -> Iterator[Value]:
    """What is walked over in whole while each rank takes its turns of it: `if number % world == rank: yield row`"""
    asked = [decision for decision in rank_decisions(made) if asks_the_turn(decision)]
    for node, above in walk(made.log):
        if isinstance(node, Choice) and node.decision in asked:
            yield from (outer.subject for outer in above if isinstance(outer, Loop) and outer.subject is not None)


def asks_the_turn(decision: Decision) -> bool:
    symbols = provenance.symbols_in(decision.symbol) if decision.symbol is not None else ()
    return any(symbol.key[0] in TURN for symbol in symbols)


def splits_by_rank(made: Inside) -> Decision | bool:
    guarded = rank_decisions(made)
    if guarded:
        return guarded[0]
    looped = loop_decision(made, lambda subject: provenance.cause_of(subject, BY_SHARE) is not None)
    if looped is not None:
        return looped
    return any(provenance.cause_of(value, BY_SHARE) is not None for value in made.held)


def splits_by_worker(made: Inside) -> Decision | bool:
    looped = loop_decision(made, knows_worker)
    if looped is not None:
        return looped
    asked = [node.decision for node, _ in walk(made.log) if isinstance(node, Choice)]
    asked += [decision for guards in made.guards for decision in guards]  # of branches with nothing but the sample
    for decision in asked:
        if decision.symbol is not None and knows_worker(Unknown(decision.symbol)):
            return decision
    return any(knows_worker(value) for value in made.held)


def is_endless(made: Inside) -> bool:
    """`while True:` around the samples: nobody runs out."""
    if any(decision.endless for guards in made.guards for decision in guards):
        return True
    handed = (above for node, above in walk(made.log) if isinstance(node, Event) and node.op == SAMPLE)
    return any(isinstance(node, Loop) and node.decision.endless for above in handed for node in above)


def stops_by_count(made: Inside) -> bool:
    """`if left == 0: return`, where every rank counts what it has given; `if number >= even: break`, where all of them
    stop at the same place of what they all go through."""
    return any(
        isinstance(node, Choice)
        and not {"return", "break"}.isdisjoint(node.exits)
        and node.cause is None
        and node.symbol is not None
        and str(node.symbol.key[0]).startswith("compare ")
        and any(isinstance(part, Symbol) and part.key[0] in TURN for part in node.symbol.key[1:])
        for node, _ in walk(made.log)
    )


def drawn_alike(event: Event) -> bool:
    """From a generator of its own, with a seed that says nothing of the worker; where it is handed to a function that
    draws, one that is made as the data is asked for."""
    from dtlint.machine.library.drawing import seeds

    call = event.extra["call"]
    state, own = call.extra.get("rng"), call.receiver or call.get("generator")
    if not isinstance(own, Object) or own.kind not in seeds.GENERATORS:
        return False
    if own is not call.receiver and not own.facts.get("inside"):
        return False
    if not isinstance(state, seeds.State) or state.verdict != "same":
        return False
    return not provenance.mentions(state.seed, lambda symbol: "worker" in str(symbol.key[0]))


def seeded_by_rank_alone(event: Event) -> bool:
    """From a generator that each worker makes with the number of its rank: all workers of a rank draw the same."""
    from dtlint.machine.library.drawing import seeds

    call = event.extra["call"]
    state, own = call.extra.get("rng"), call.receiver or call.get("generator")
    if not isinstance(own, Object) or own.kind not in seeds.GENERATORS or not own.facts.get("inside"):
        return False
    if not isinstance(state, seeds.State) or state.cause is None or state.cause.kind not in BY_SHARE:
        return False
    parts = list(provenance.parts(state.seed, 3))
    if any(part.cause is not None and part.cause.kind not in BY_SHARE for part in parts):
        return False  # made of something else that each process has for itself
    asks = any(provenance.WORKER in part.tags for part in parts)
    return not asks and not provenance.mentions(state.seed, is_worker, 3)
