"""What do Python's own functions over iterables give?"""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial

from dtlint.machine import library
from dtlint.machine.contents import containers
from dtlint.machine.contents.linear import apart, difference
from dtlint.machine.contents.opaque import opaque as unknown_of
from dtlint.machine.control.agreeing import OWN_OF_GATHERED, as_all_have
from dtlint.machine.core import Machine
from dtlint.machine.lanes import map_lanes, row, token
from dtlint.machine.library.feeding import inside, sharding, totals, vocabularies, webdatasets
from dtlint.machine.library.feeding.whole_batches import LENGTHS, RANGES, STORED
from dtlint.machine.library.invocation import Handler, Invocation
from dtlint.machine.library.python import combinations, one_by_one
from dtlint.machine.library.python.generators import (
    BOUNDED,
    PART,
    UNRUN,
    end_to_end,
    in_whole_groups,
    is_generator,
    never_ends,
)
from dtlint.machine.names import subscripts
from dtlint.machine.values import (
    CHAIN,
    CONTAINERS,
    FALSE,
    NONE,
    TRUE,
    ClassRef,
    Const,
    FunctionRef,
    Object,
    Row,
    SliceValue,
    Tuple,
    Unknown,
    Value,
    lane_value,
)


def length(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.functions import calls
    from dtlint.machine.library.feeding import loaders
    from dtlint.machine.library.feeding.streams import CHAINS
    from dtlint.machine.names import classes

    if not call.arguments:
        return None
    value = call.arguments[0]
    if isinstance(value, Object) and webdatasets.dataset_of(value) is not None:  # it has none, or that which it is told
        return machine.unknown("length", value.number)
    known = library.reading.length(machine, value, call.mask) or vocabularies.known(machine, value)
    if known is not None:
        return known
    told: Value | None = None
    if isinstance(value, Object) and isinstance(value.kind, ClassRef):
        counts = classes.in_class(machine, value.kind, "__len__")
        if isinstance(counts, FunctionRef):
            told = calls.follow(machine, counts, value, (), (), call.mask)
            if told.cause is not None:
                return told
    cause = containers.length_cause(machine, value)
    if cause is None and isinstance(value, Unknown) and value.cause is not None and value.cause.kind == "length":
        cause = value.cause
    if cause is None and isinstance(value, Unknown) and loaders.own_sample(machine, value):
        cause = value.cause
    held = value.attributes.get("[]") if isinstance(value, Object) else None
    asked = (value, held) if isinstance(held, Unknown) else (value,)  # of what it holds now: a turn may add to it
    tags = sharding.counted(value) if cause is not None else frozenset()
    made = machine.unknown("len", *map(token, asked), cause=cause, tags=tags)
    if isinstance(value, Object) and isinstance(value.kind, str) and value.kind.startswith(CHAINS):
        machine.facts.setdefault(STORED, set()).add(made.symbol)
    if isinstance(told, Unknown):
        machine.facts.setdefault(LENGTHS, {})[made.symbol] = told.symbol
    return made


def on_each_lane(handler: Handler) -> Handler:
    """What stands in lists of which each lane has its own is known lane by lane, where they are equally long."""

    def of_lanes(machine: Machine, call: Invocation) -> Value | None:
        parted = [value for value in call.arguments if isinstance(value, Row)]
        held = [[containers.items_of(machine, lane) for lane in one.lanes] for one in parted]
        if not parted or any(None in lanes or len(set(map(len, lanes))) > 1 for lanes in held):  # type: ignore[arg-type]
            return handler(machine, call)
        found = []
        for lane in range(machine.world.size):
            given = tuple(lane_value(value, lane) for value in call.arguments)
            made = handler(machine, replace(call, arguments=given))
            if made is None:
                return handler(machine, call)
            found.append(made)
        return row(tuple(found), parted[0].cause)

    return of_lanes


def slice_(machine: Machine, call: Invocation) -> Value | None:
    """`mine = slice(rank, None, world); rows[mine]` is `rows[rank::world]`."""
    given = call.arguments
    if not given or len(given) > 3 or any(isinstance(part, SliceValue) for part in given):
        return None
    if len(given) == 1:
        return SliceValue(NONE, given[0], NONE)
    return SliceValue(given[0], given[1], given[2] if len(given) == 3 else NONE)


def range_(machine: Machine, call: Invocation) -> Value | None:
    bounds = call.arguments
    start: Value = Const(0)
    step: Value = Const(1)
    if not bounds:
        return None
    stop = bounds[0]
    if len(bounds) >= 2:
        start, stop = bounds[0], bounds[1]
    if len(bounds) == 3:
        step = bounds[2]
    made = machine.new("builtins.range", call.mask)
    made.attributes.update(start=start, stop=stop, step=step)
    machine.facts.setdefault(RANGES, {})[made.number] = made

    if totals.equally_often(start, stop, step):
        made.attributes["count"] = counted(machine, Const(0), stop, step)
    else:
        made.attributes["count"] = map_lanes(partial(counted, machine), (start, stop, step), machine.world)
    return made


def counted(machine: Machine, *bounds: Value) -> Value:
    """How many numbers a range has."""
    start, stop, step = bounds
    if all(isinstance(part, Const) and isinstance(part.value, int) for part in bounds):
        first, last, by = (part.value for part in bounds)  # type: ignore[attr-defined]
        scale = next((part.scale for part in bounds if part.scale), None)  # type: ignore[attr-defined]
        return Const(len(range(first, last, by)) if by else 0, scale)
    if start != Const(0) and step == Const(1):
        rest = difference(stop, start)  # `range(start, start + share)`
        return rest or unknown_of(machine, "count", *bounds)
    if start != Const(0):  # `range(start, start + share, batch)`
        return machine.unknown("count", apart(stop, start), token(step), cause=stop.cause or start.cause)
    return unknown_of(machine, "count", *bounds)


def numbers_in(value: Value) -> tuple[Value, ...] | None:
    """Those of a short range."""
    if not isinstance(value, Object) or value.kind != "builtins.range":
        return None
    from dtlint.machine.library.meeting.groups import range_items

    known = range_items(value)
    return tuple(known) if known is not None else None


def enumerate_(machine: Machine, call: Invocation) -> Value | None:
    if not call.arguments:
        return None
    inner = call.arguments[0]
    items = containers.items_of(machine, inner)
    start = call.arguments[1] if len(call.arguments) > 1 else dict(call.keywords).get("start", Const(0))
    if items is not None:
        begin = start.value if isinstance(start, Const) and isinstance(start.value, int) else 0
        pairs = (Tuple((Const(begin + index), item)) for index, item in enumerate(items))
        return machine.new_list(tuple(pairs), call.mask)
    made = wrapped(machine, call, "enumerate", inner)
    made.facts["start"] = start
    return made


def wrapped(machine: Machine, call: Invocation, kind: str, *inner: Value) -> Object:
    """An iterator over other iterables: its length is theirs, its items are made of theirs."""
    made = machine.new(f"<{kind}>", call.mask)
    made.facts["inner"] = inner
    return made


def islice(machine: Machine, call: Invocation) -> Value | None:
    """`islice(batches, 100)`, `islice(samples, rank, None, world)`: a part of what comes, and of a list a slice."""
    from dtlint.machine.library import reading
    from dtlint.machine.library.feeding import loaders

    if len(call.arguments) < 2:
        return None
    inner, *given = call.arguments
    inner = reading.iterated(machine, inner, call.mask)
    start, stop, step = (NONE, given[0], NONE) if len(given) == 1 else (*given, NONE)[:3]
    generator = is_generator(inner)
    by_worker = any(map(inside.knows_worker, given))
    differs = any(bound.cause is not None for bound in given)
    if differs or (by_worker and not generator) or containers.items_of(machine, inner) is not None:
        part = subscripts.cut(machine, inner, SliceValue(start, stop, step))
        if stop == NONE and isinstance(part, Unknown) and (never_ends(inner) or in_whole_groups(inner)):
            return Unknown(part.symbol, part.cause, containers.without_lengths(part.tags), part.like)
        return part
    if isinstance(inner, Object) and generator:
        made = machine.new("<generator>", call.mask)
        made.facts.update(inner.facts)
        if by_worker:
            made.facts[PART] = subscripts.cut(machine, inner, SliceValue(start, stop, step))
    elif loaders.is_loader(inner) or of_a_library(inner):
        made = wrapped(machine, call, "islice", inner)
    else:
        return None
    made.facts[BOUNDED] = stop != NONE
    return made


def of_a_library(value: Value) -> bool:
    """Something that is walked over, and no container of known things: a pipeline, a wrapped iterator."""
    return isinstance(value, Object) and isinstance(value.kind, str) and value.kind not in CONTAINERS


def repeated(machine: Machine, call: Invocation) -> Value | None:
    """`repeat(thing)`, for ever, or as often as is said."""
    if len(call.arguments) != 1 or call.keywords:
        return combinations.made_by(itertools.repeat)(machine, call)
    made = wrapped(machine, call, "cycle", machine.new_list(call.arguments, call.mask))
    made.facts[BOUNDED] = True
    return made


def cycle(machine: Machine, call: Invocation) -> Value | None:
    """`cycle(batches)`: what comes, again and again, in the order of the first time. It never runs dry."""
    made = wrapped(machine, call, "cycle", *call.arguments[:1])
    machine.emit_event("record", "cycled", "itertools.cycle", call.mask, subject=made)
    made.facts[BOUNDED] = True
    return made


def chain(machine: Machine, call: Invocation) -> Value | None:
    """`chain(model.parameters(), model.buffers())`; `chain([first], batches)` begins where `next` had not asked yet."""
    from dtlint.machine.library.python import iterators

    if len(call.arguments) == 2:
        begin, rest = call.arguments
        if iterators.put_back(machine, containers.items_of(machine, begin) or (), rest):
            return rest
    return one_after_the_other(machine, call.arguments)


def chained(machine: Machine, call: Invocation) -> Value | None:
    """`chain.from_iterable(group["params"] for group in groups)`"""
    if len(call.arguments) == 1 and is_generator(call.arguments[0]):
        return end_to_end(machine, call.arguments[0], call.mask)
    if len(call.arguments) != 1 or of_a_library(call.arguments[0]):
        return None
    known = containers.items_of(machine, call.arguments[0])
    of_each = containers.element(machine, call.arguments[0])
    made = one_after_the_other(machine, known or (of_each,))
    if isinstance(made, Unknown) and isinstance(of_each, Unknown) and of_each.like and is_generator(of_each.like):
        return Unknown(made.symbol, made.cause, made.tags | {UNRUN}, made.like)
    return made


def one_after_the_other(machine: Machine, given: tuple[Value, ...]) -> Value | None:
    lists = [containers.items_of(machine, value) for value in given]
    if lists and all(items is not None for items in lists):
        return Tuple(tuple(item for items in lists for item in items or ()))
    held = tuple(map(containers.held_in, given))
    return unknown_of(machine, CHAIN, *held) if all(isinstance(one, Unknown | Tuple) for one in held) else None


def columns(machine: Machine, call: Invocation) -> Value | None:
    """`zip(*rows)`, of as many rows as there are: each column holds what stands at one place of any row."""
    spread = call.arguments[0] if len(call.arguments) == 1 else None
    if not isinstance(spread, Object) or spread.kind != "<spread>" or call.keywords:
        return None
    rows = spread.attributes["value"]
    row, longer = containers.element(machine, rows), containers.length_cause(machine, rows)

    def column(item: Value) -> Object:
        """As long as there are rows, which may be more on some lanes."""
        return list_of(machine, containers.grown(machine, None, item, longer) if longer else item, call.mask)

    record = row if isinstance(row, Tuple) else getattr(row, "like", None)
    if isinstance(record, Tuple):
        return Tuple(tuple(map(column, record.items)))
    of_lists = record is None or (isinstance(record, Object) and record.kind == "list")
    if not isinstance(row, Unknown) or not of_lists:
        return None
    made = list_of(machine, column(row) if longer else row, call.mask)
    if longer:
        made.facts[containers.COLUMNS] = True  # as many as a row has parts
    return made


def zip_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.library.jax import hosts as jax_hosts

    turned = columns(machine, call)
    if turned is not None:
        return turned
    lists = [containers.items_of(machine, value) or numbers_in(value) for value in call.arguments]
    if any(items is not None for items in lists):
        pairs = zip(lists, call.arguments, strict=True)
        lists = [items if items is not None else jax_hosts.elements(machine, value) for items, value in pairs]
    if lists and all(items is not None for items in lists):
        groups = (Tuple(tuple(group)) for group in zip(*(items or () for items in lists), strict=False))
        return machine.new_list(tuple(groups), call.mask)
    return wrapped(machine, call, "zip", *call.arguments)


CONSUMERS = frozenset(f"builtins.{name}" for name in ("dict", "sum", "min", "max", "any", "all", "bytes", "bytearray"))


def consume(machine: Machine, call: Invocation) -> None:
    """`dict(pairs())` runs the generator to its end."""
    from dtlint.machine.functions import calls

    for inner in call.arguments[:1]:
        if is_generator(inner):
            calls.resume(machine, inner, call.mask, lambda value, lanes: None)


def iter_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.library.python import iterators

    if len(call.arguments) == 2:
        return until(machine, call)
    if call.arguments:
        iterators.of_loader(machine, "iterator-made", call.arguments[0], call)
        known = one_by_one.begun(machine, call.arguments[0], call.mask)
        return known if known is not None else call.arguments[0]
    return None


def until(machine: Machine, call: Invocation) -> Value:
    """`iter(queue.get, END)`: what the function gives, as often as it gives something else."""
    from dtlint.machine.functions import calls

    given = calls.call_value(machine, call.arguments[0], (), (), call.mask)
    made = machine.new_list(None, call.mask)
    tags = given.tags | ({containers.UNEVEN} if given.cause is not None else frozenset())
    made.attributes["[]"] = machine.unknown("until", token(given), cause=given.cause, tags=tags)
    return made


def any_all(wanted: bool) -> Handler:
    def handler(machine: Machine, call: Invocation) -> Value | None:
        from dtlint.machine.names.expressions import combine

        items = containers.items_of(machine, call.arguments[0]) if call.arguments else None
        own = machine.facts.get(OWN_OF_GATHERED)
        if own and not wanted and call.arguments:
            compared = as_all_have(own, items or (containers.element(machine, call.arguments[0]),))
            if compared is not None:
                return machine.unknown("all have", compared)
        if items is None:
            return None
        result: Value = FALSE if wanted else TRUE
        for item in items:
            result = combine(machine, "or" if wanted else "and", result, item)
        return map_lanes(lambda one: answer(machine, one), (result,), machine.world)

    return handler


SHORT = 8  # items that a function is called with one by one


def reduce_(machine: Machine, call: Invocation) -> Value | None:
    """`reduce(merge, parts, first)`"""
    from dtlint.machine.functions import calls

    if len(call.arguments) not in (2, 3) or call.keywords:
        return None
    items = containers.items_of(machine, call.arguments[1])
    given = (*call.arguments[2:], *(items or ()))
    if items is None or not given or len(items) > SHORT:
        return None
    result = given[0]
    for item in given[1:]:
        result = calls.call_value(machine, call.arguments[0], (result, item), (), call.mask)
    return result


def answer(machine: Machine, held: Value) -> Value:
    """`any(names)` says whether there is one, not which."""
    from dtlint.machine.contents.truth import truth_of

    known = truth_of(machine, held)[0]
    return held if known is None else TRUE if known else FALSE


def map_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.functions import calls

    if len(call.arguments) < 2:
        return None
    function, inner = call.arguments[0], library.reading.iterated(machine, call.arguments[1], call.mask)
    several = [containers.items_of(machine, one) for one in (inner, *call.arguments[2:])]
    known = [items for items in several if items is not None]
    if len(known) == len(several) and min(map(len, known)) <= SHORT:
        given = list(zip(*known, strict=False))
        return machine.new_list(
            tuple(calls.call_value(machine, function, each, (), call.mask) for each in given), call.mask
        )
    element = calls.call_value(machine, function, (library.reading.element(machine, inner, call.mask),), (), call.mask)
    made, of_each = machine.new("list", call.mask), element.tags
    if containers.has_own_many(element):
        of_each = of_each - {containers.UNEVEN} | {containers.OF_EACH}
    made.attributes["[]"] = machine.unknown(
        "mapped", token(inner), token(element), cause=element.cause or inner.cause, tags=inner.tags | of_each
    )
    if len(call.arguments) == 2 and isinstance(inner, Object) and not isinstance(inner.kind, ClassRef):
        made.facts["inner"] = (inner,)  # who walks over it walks over this
    return made


def together(machine: Machine, call: Invocation) -> Value:
    """`await asyncio.gather(load(), listen())`: what each of them gives, in the order they were asked."""
    return machine.new_list(call.arguments, call.mask)


def list_of(machine: Machine, item: Value, mask: int) -> Object:
    """Of how many nobody knows."""
    made = machine.new_list(None, mask)
    made.attributes["[]"] = item
    return made
