"""Does a learning rate schedule count the steps that this rank will take?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.meeting import evidence
from dtlint.machine.library.python.by_settings import ENDLESS
from dtlint.machine.library.python.run_later import names_in
from dtlint.machine.library.training.wrapping import ALONE
from dtlint.machine.logs import Choice, Event, Loop
from dtlint.machine.values import Bound, Const, FunctionRef, Object, Symbol, Tuple, Unknown, Value
from dtlint.timeline.order import Met, choices_below, in_each_turn, loops_over
from dtlint.timeline.samples.workers import loaded_by
from dtlint.timeline.steps.prepared_schedules import prepared_wrongly
from dtlint.timeline.steps.schedule_counts import (
    DIVIDES,
    Schedule,
    WrongLength,
    any_world,
    factors,
    is_world,
    lengths,
    longest,
    multiplies_only,
)
from dtlint.timeline.steps.stepping import events
from dtlint.timeline.steps.windows import unconditional, windows
from dtlint.timeline.symbols import moduli, periodic


def schedules(run: Any) -> Iterator[Schedule]:
    for met in events(run, "record", "scheduler"):
        call = met.event.extra["call"]
        if call.node in run.facts.get(ENDLESS, ()):
            continue
        name, factor = call.row.extra.get("length"), call.row.extra.get("factor")
        value = call.get(str(name)) or call.get(str(call.row.extra.get("turn"))) if name else None
        asked = asked_for(call.get(str(factor))) if factor else []
        value = value or (least_divided(asked) if factor else None)
        told = [one.symbol for one in (*call.values, *asked) if isinstance(one, Unknown)]
        products = tuple(one for one in told if longest(one).key[0] == "op *")
        symbol = value.symbol if isinstance(value, Unknown) else next(iter(products), None)
        if symbol is not None:
            yield Schedule(met, call, symbol, frozenset(lengths(symbol)), any_world(symbol), products)


def told_by(event: Event) -> frozenset[str]:
    """The options that tell how long a schedule is."""
    extra = event.extra["call"].row.extra
    return frozenset(str(extra[how]) for how in ("length", "turn", "factor") if how in extra)


def asked_for(factor: Value | None) -> list[Value]:
    """What a function that gives the factor for each step asks for."""
    function = factor.function if isinstance(factor, Bound) else factor
    if not isinstance(function, FunctionRef):
        return []
    held = dict(function.closure.variables) if function.closure is not None else {}
    if isinstance(factor, Bound):
        held |= dict(factor.keywords)
        held |= factor.receiver.attributes if isinstance(factor.receiver, Object) else {}
    names = names_in(function.node)
    return [value for name, value in held.items() if name in names or isinstance(factor, Bound)]


def least_divided(asked: list[Value]) -> Value | None:
    """The length of the schedule among them."""
    counts = [value for value in asked if isinstance(value, Unknown) and any(lengths(value.symbol))]
    return min(counts, key=lambda value: sum(one.key[0] == "op //" for one in symbols_in(value.symbol)), default=None)


def prepared(run: Any, schedule: Schedule) -> Any:
    """The call that prepares a schedule, which steps once for each process then."""
    for _, call in prepares(run):
        for value in call.values:
            if any(made.node is schedule.call.node for made in stepped_with(value)):
                return call
    return None


def prepares(run: Any) -> Iterator[tuple[Met, Any]]:
    for met in events(run, "collective", "wrap"):
        call = met.event.extra.get("call")
        if call is not None and met.event.extra.get("wrap") == "prepare":
            yield met, call


def step_of(run: Any, schedule: Schedule) -> tuple[Met, Loop] | None:
    """Where the schedule steps, and the loop over a loader around it."""
    for met in events(run, "record", "scheduler-step"):
        if any(call.node is schedule.call.node for call in stepped_with(met.event.subject)):
            for loop in reversed(loops_over(met)):
                if any(loaded_by(one) is not None for one in walked_in(loop.subject)):
                    return met, loop
    return None


def walked_over(subject: Any) -> Any:
    """The loader itself: of `enumerate(loader)`, of a bar around it."""
    while isinstance(subject, Object) and subject.facts.get("inner"):
        subject = subject.facts["inner"][0]
    return subject


def stepped_with(subject: Value | None) -> Iterator[Any]:
    """The call that made what steps, and those that made its parts: `SequentialLR(optimizer, [warm, cool], …)`."""
    call = subject.facts.get("call") if isinstance(subject, Object) else None
    if call is None:
        return
    yield call
    parts = call.get("schedulers")
    held = parts.attributes.get("[]") if isinstance(parts, Object) else parts
    for part in held.items if isinstance(held, Tuple) else ():
        yield from stepped_with(part)


def wrong_lengths(run: Any) -> Iterator[WrongLength]:
    told: set[tuple[int, str]] = set()  # the parts of one schedule are counted alike
    waits = bool(events(run, "record", "accumulate"))
    for schedule in schedules(run):
        stepped = step_of(run, schedule)
        found = turns_multiplied(run, schedule)
        if stepped is None:
            if found is not None:
                yield found
            continue
        by = prepared(run, schedule)
        found = found or (
            None
            if by is not None and evidence.alone(run)
            else prepared_wrongly(schedule, by, walked_over(stepped[1].subject), waits, batch_sizes(run))
            if by is not None
            else before_sharding(run, schedule)
            or of_all_samples(run, schedule)
            or multiplied(run, schedule)
            or divided_twice(run, schedule)
            or accumulation_forgotten(schedule, *stepped)
            or too_often(run, schedule, stepped[0])
        )
        if found is not None and (stepped[0].number, found.message) not in told:
            told.add((stepped[0].number, found.message))
            yield found


def before_sharding(run: Any, schedule: Schedule) -> WrongLength | None:
    if schedule.parallel:
        return None
    for met, given in divisions(run):
        # what comes back is another loader: this is the length of the one that was given, whenever asked
        if any(isinstance(value, Object) and value.number in schedule.lengths for value in given):
            return WrongLength(
                schedule.made,
                "the schedule counts the batches of all ranks: they were counted before the loader was divided",
                "count the batches of the loader that comes back" + (ALSO if met.event.op == "wrap" else ""),
                f"line {met.event.at[0]} divides the loader among the ranks",
            )
    return None


ALSO = ", or prepare the schedule as well"


def divisions(run: Any) -> Iterator[tuple[Met, tuple[Value, ...]]]:
    """Where loaders are divided among the ranks, and what was given there."""
    for met, call in prepares(run):
        yield met, call.values
    for met in events(run, "record", "prepare"):
        loader, owner = met.event.subject, met.event.extra.get("owner")
        row = run.knowledge.apis.get(met.event.api)
        made = loader.facts.get("call") if isinstance(loader, Object) else None
        if loader is None or row is None or made is None or getattr(owner, "facts", {}).get(ALONE):
            continue
        own = made.get("sampler") is not None or made.get("batch_sampler") is not None
        if row.extra.get("divides") and not (own and row.extra["divides"] == "unless sampled"):
            yield met, (loader,)


def sharded_data(run: Any) -> set[int | Symbol]:
    """The data sets that a rank-aware sampler divides."""
    found: set[int | Symbol] = set()
    for met in events(run, "record", "loader"):
        sampler = met.event.extra["call"].get("sampler")
        made = sampler.facts.get("call") if isinstance(sampler, Object) else None
        if made is not None and "Distributed" in str(sampler.kind):
            dataset = made.get("dataset")
            if isinstance(dataset, Object):
                found.add(dataset.number)
            elif isinstance(dataset, Unknown):
                found.add(dataset.symbol)
    return found


def of_all_samples(run: Any, schedule: Schedule) -> WrongLength | None:
    if schedule.parallel or not schedule.lengths or not schedule.lengths <= sharded_data(run):
        return None
    if any(not batches_of_all(run).isdisjoint(one.key) for one in symbols_in(schedule.symbol)):
        return None
    return WrongLength(
        schedule.made,
        "the schedule counts the samples of all ranks, but each rank takes the steps of its own part",
        "divide by the number of ranks, or use the length of the loader",
        "the length of the whole data set, undivided",
    )


def batches_of_all(run: Any) -> set[Any]:
    """What is divided to get the batch of one process, by their number or something the program computes: dividing by
    it is right."""
    found: set[Any] = set()
    for met in events(run, "record", "loader"):
        size = met.event.extra["call"].get("batch_size")
        if isinstance(size, Const) and type(size.value) is int:
            found.add(size.value * run.world.size)
        for one in symbols_in(size.symbol) if isinstance(size, Unknown) else ():
            if one.key[0] in DIVIDES and not is_written(one.key[1]) and not is_written(one.key[2]):
                found.add(one.key[1])
    return found


def batch_sizes(run: Any) -> frozenset[Any]:
    given = (met.event.extra["call"].get("batch_size") for met in events(run, "record", "loader"))
    return frozenset(
        one.symbol if isinstance(one, Unknown) else one.value for one in given if isinstance(one, Unknown | Const)
    )


def is_written(part: Any) -> bool:
    """A number of the source, and not the number of processes."""
    return type(part) in (int, float)


def multiplied(run: Any, schedule: Schedule) -> WrongLength | None:
    """`epochs * len(loader) * world_size`, though the loader has this rank's batches; also without its first steps."""
    if not any(map(is_world, factors(longest(schedule.symbol)))) or not counts_own_batches(run, schedule):
        return None
    return WrongLength(
        schedule.made,
        "the length of the loader is this rank's already; times the number of ranks the schedule never ends",
        "leave the number of ranks out",
        "multiplied by the number of ranks",
    )


def turns_multiplied(run: Any, schedule: Schedule) -> WrongLength | None:
    """`max_steps * world_size`, though every rank steps it once in each of `range(max_steps)` turns."""
    key = schedule.symbol.key
    numbers = [part for part in key[1:] if isinstance(part, Symbol)]
    if key[0] != "op *" or len(numbers) != 1 or not any(is_world(part) for part in key[1:]):
        return None
    if next(prepares(run), None) is not None:
        return None  # who prepares has it step once for each process, in whatever it is handed over
    stepped = [
        met
        for met in events(run, "record", "scheduler-step")
        if any(call is schedule.call for call in stepped_with(met.event.subject))
    ]
    loop = loops_over(stepped[0])[-1:] if len(stepped) == 1 else []
    if not loop or not in_each_turn(stepped[0], loop[0]) or not ends_at(loop[0], numbers[0]):
        return None
    return WrongLength(
        schedule.made,
        "the schedule steps once in each turn on every rank; times the number of ranks it never ends",
        "leave the number of ranks out",
        "multiplied by the number of ranks",
    )


def ends_at(loop: Loop, count: Symbol) -> bool:
    """`for step in range(start, count + 1)`"""
    walked = loop.subject
    if isinstance(walked, Object) and walked.facts.get("inner"):
        walked = walked.facts["inner"][0]
    stop = walked.attributes.get("stop") if isinstance(walked, Object) and walked.kind == "builtins.range" else None
    if not isinstance(stop, Unknown):
        return False
    return stop.symbol is count or (stop.symbol.key[0] == "op +" and count in stop.symbol.key and 1 in stop.symbol.key)


def divided_twice(run: Any, schedule: Schedule) -> WrongLength | None:
    """`epochs * len(loader) // world_size`, though the sampler has divided already."""
    if not counts_own_batches(run, schedule):
        return None
    for one in symbols_in(schedule.symbol):
        if one.key[0] in DIVIDES and is_world(one.key[2]) and isinstance(one.key[1], Symbol):
            if any(lengths(one.key[1])) and multiplies_only(one.key[1]):
                return WrongLength(
                    schedule.made,
                    "the length of the loader is this rank's already; divided by the number of ranks once more, the"
                    " schedule ends long before the training",
                    "leave the number of ranks out",
                    "divided by the number of ranks again",
                )
    return None


def counts_own_batches(run: Any, schedule: Schedule) -> bool:
    """Is it made of the lengths of loaders that have been divided among the ranks, and of nothing else?"""
    if not schedule.lengths or schedule.lengths & sharded_data(run):
        return False
    sharded = {
        loader.number
        for met in events(run, "end", "next turn")
        if (loop := met.event.loop) is not None
        for loader in walked_in(loop.subject)
        if is_sharded(loader)
    }
    return schedule.lengths <= sharded


def walked_in(subject: Any) -> Iterator[Object]:
    """What a loop walks over, with what is inside of it: the loader of `zip(range(steps), loader)`."""
    if isinstance(subject, Object):
        yield subject
        for inner in subject.facts.get("inner") or ():
            yield from walked_in(inner)


def is_sharded(loader: Object) -> bool:
    """By a sampler, or by the framework that gave it back."""
    if loader.facts.get("prepared"):
        return True
    call = loader.facts.get("call")
    sampler = call.get("sampler") if call is not None else None
    return isinstance(sampler, Object) and "Distributed" in str(sampler.kind)


def accumulation_forgotten(schedule: Schedule, step: Met, loop: Loop) -> WrongLength | None:
    """As long as there are micro-batches, but stepped once per window."""
    own = [choice for choice, side in choices_below(step, loop) if periodic(choice.symbol)]
    if not own or not isinstance(loop.subject, Object) or not multiplies_only(schedule.symbol):
        return None
    if all(part in (0, 1) for choice in own for part in divisors(choice)):
        return None
    if schedule.lengths.isdisjoint(loader.number for loader in walked_in(loop.subject)):
        return None
    return WrongLength(
        schedule.made,
        f"the schedule is as long as there are micro-batches, but line {step.event.at[0]} steps it once per window",
        "divide the length by the number of micro-batches in a window",
        "counts micro-batches",
    )


def divisors(choice: Choice) -> list[Any]:
    return moduli(choice.symbol) if choice.symbol is not None else []


def too_often(run: Any, schedule: Schedule, step: Met) -> WrongLength | None:
    """Divided by the window's length, but stepped in every micro-batch."""
    divided = any(one.key[0] in DIVIDES for one in symbols_in(schedule.symbol))
    for window in windows(run):
        if not window.nested and divided and unconditional(step, window):
            steps = {part for symbol, _ in window.when for part in moduli(symbol)}
            if any(
                part in steps for one in symbols_in(schedule.symbol) if one.key[0] in DIVIDES for part in one.key[2:]
            ):
                return WrongLength(
                    step,
                    "the schedule counts windows, but it steps in every micro-batch",
                    "step the schedule together with the optimizer",
                    "in every turn",
                )
    return None
