"""What do Python's own functions over iterables give?"""

from __future__ import annotations

from functools import partial
from typing import Any

from dtlint.machine import library
from dtlint.machine.contents import containers, sets
from dtlint.machine.contents.linear import apart, difference
from dtlint.machine.contents.opaque import deep_cause
from dtlint.machine.contents.opaque import opaque as unknown_of
from dtlint.machine.control.agreeing import OWN_OF_GATHERED, as_all_have
from dtlint.machine.core import Machine
from dtlint.machine.joining import orders_in
from dtlint.machine.lanes import map_lanes, row, token
from dtlint.machine.library.feeding import inside, sharding, totals, vocabularies, webdatasets
from dtlint.machine.library.feeding.whole_batches import LENGTHS, RANGES, STORED
from dtlint.machine.library.invocation import Handler, Invocation
from dtlint.machine.library.python import own_order
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
    Cause,
    ClassRef,
    Const,
    FunctionRef,
    Object,
    Row,
    SliceValue,
    Symbol,
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


def enumerate_(machine: Machine, call: Invocation) -> Value | None:
    if not call.arguments:
        return None
    inner = call.arguments[0]
    items = containers.items_of(machine, inner)
    start = call.arguments[1] if len(call.arguments) > 1 else dict(call.keywords).get("start", Const(0))
    if items is not None:
        begin = start.value if isinstance(start, Const) and isinstance(start.value, int) else 0
        return Tuple(tuple(Tuple((Const(begin + index), item)) for index, item in enumerate(items)))
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
    elif loaders.is_loader(machine, inner) or of_a_library(inner):
        made = wrapped(machine, call, "islice", inner)
    else:
        return None
    made.facts[BOUNDED] = stop != NONE
    return made


def of_a_library(value: Value) -> bool:
    """Something that is walked over, and no container of known things: a pipeline, a wrapped iterator."""
    return isinstance(value, Object) and isinstance(value.kind, str) and value.kind not in CONTAINERS


def cycle(machine: Machine, call: Invocation) -> Value | None:
    """`cycle(batches)`: what comes, again and again, in the order of the first time. It never runs dry."""
    made = wrapped(machine, call, "cycle", *call.arguments[:1])
    machine.emit_event("record", "cycled", "itertools.cycle", call.mask, subject=made)
    made.facts[BOUNDED] = True
    return made


def chain(machine: Machine, call: Invocation) -> Value | None:
    """`chain(model.parameters(), model.buffers())`"""
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


def list_of(machine: Machine, item: Value, mask: int) -> Object:
    """Of how many nobody knows."""
    made = machine.new_list(None, mask)
    made.attributes["[]"] = item
    return made


def zip_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.library.jax import hosts as jax_hosts

    turned = columns(machine, call)
    if turned is not None:
        return turned
    lists = [containers.items_of(machine, value) for value in call.arguments]
    if any(items is not None for items in lists):
        pairs = zip(lists, call.arguments, strict=True)
        lists = [items if items is not None else jax_hosts.elements(machine, value) for items, value in pairs]
    if lists and all(items is not None for items in lists):
        return Tuple(tuple(Tuple(tuple(group)) for group in zip(*(items or () for items in lists), strict=False)))
    return wrapped(machine, call, "zip", *call.arguments)


def through(kind: str) -> Handler:
    def handler(machine: Machine, call: Invocation) -> Value | None:
        from dtlint.machine.library import reading

        if not call.arguments:
            return machine.new_list((), call.mask, "set" if kind == "set" else "list")
        inner = reading.iterated(machine, call.arguments[0], call.mask)
        held = own_order.ranked(machine, call, inner) if kind == "sorted" else None
        if held is not None:
            ordered_list = machine.new_list(None, call.mask)
            ordered_list.attributes["[]"] = held
            return ordered_list
        items = containers.items_of(machine, inner)
        if items is None and isinstance(inner, Object) and inner.kind == "builtins.range":
            from dtlint.machine.library.meeting.groups import range_items

            known = range_items(inner)
            items = tuple(known) if known is not None else None
        if items is not None:
            if kind == "sorted":
                if not all(isinstance(item, Const) for item in items):
                    return sorted_apart(machine, items, call.mask)
                try:
                    ordered = sorted(items, key=lambda item: item.value)  # type: ignore[attr-defined]
                except TypeError:
                    ordered = list(items)
                return machine.new_list(tuple(ordered), call.mask)
            return machine.new_list(tuple(items), call.mask, "set" if kind == "set" else "list")
        if is_generator(inner):
            walked = drawn(machine, kind, inner, call.mask)
            if walked is not None:
                return walked
        if isinstance(inner, Object) and inner.kind == "builtins.range":
            few = neighbours(machine, inner, call.mask)
            if few is not None:
                return few
        made = machine.new("set" if kind == "set" else "list", call.mask)
        numbers = numbers_of_rank(machine, inner)
        if numbers is not None:
            made.attributes["[]"] = numbers
            return made
        element = containers.element(machine, inner)
        longer = containers.length_cause(machine, inner) or (kind == "set" and sets.repeated(element))
        tags = order_tags(machine, kind, inner) | ({containers.UNEVEN} if longer else frozenset())
        symbol = machine.symbols.of(kind, token(inner), *texts_of(machine, inner, call.mask))
        cause = inner.cause or element.cause or cause_of_lines(machine, inner, call.mask)
        for walk in side_by_side(inner):
            cause = cause or deep_cause(machine, (walk,))
            tags |= order_tags(machine, kind, walk) - {containers.UNEVEN}
        if kind != "set":
            totals.as_many(machine, symbol, inner)
        made.attributes["[]"] = Unknown(symbol, cause, tags, getattr(element, "like", None))
        return made

    return handler


def cause_of_lines(machine: Machine, inner: Value, mask: int) -> Cause | None:
    """`list(open(own))`, `sorted(csv.reader(file))`: the lines of a file differ where each rank has opened another."""
    from dtlint.machine.library.feeding import data
    from dtlint.machine.library.python import files

    if not isinstance(inner, Object) or "[]" in inner.attributes or not isinstance(inner.kind, str):
        return None
    known = machine.knowledge.types.get(inner.kind)
    if inner.kind != files.HANDLE and (known is None or known.iterates != "text"):
        return None
    line = data.element(machine, inner, mask)
    return line.cause if line is not None else None


def side_by_side(walked: Value) -> tuple[Value, ...]:
    """The lists in `zip(rows, labels)`: each of its pairs was taken from all of them."""
    lists = walked.facts["inner"] if isinstance(walked, Object) and walked.kind == "<zip>" else ()
    return tuple(one for one in lists if isinstance(one, Object) and one.kind == "list")


def texts_of(machine: Machine, inner: Value, mask: int) -> tuple[Symbol, ...]:
    """`list(csv.DictReader(file))`, `set(names)`: what is known of the items, if they are said to be texts."""
    from dtlint.machine.library.feeding import data

    if not isinstance(inner, Object) or not isinstance(inner.kind, str):
        return ()
    if "[]" in inner.attributes:
        held = inner.attributes["[]"]
        return (held.symbol,) if isinstance(held, Unknown) and own_order.made_of_text(machine, held.symbol) else ()
    known = machine.knowledge.types.get(inner.kind)
    given = data.element(machine, inner, mask) if known is not None and known.iterates == "text" else None
    return (given.symbol,) if isinstance(given, Unknown) else ()


def sorted_apart(machine: Machine, items: tuple[Value, ...], mask: int) -> Value:
    """`sorted((rank, partner))`: on each rank its own numbers, in order."""
    cause = next((item.cause for item in items if isinstance(item, Row)), None)
    lanes: list[Value] = []
    for lane in range(machine.world.size):
        held = [lane_value(item, lane) for item in items]
        if not all(isinstance(one, Const) and isinstance(one.value, int) for one in held):
            return machine.new_list(None, mask)
        held.sort(key=lambda one: one.value)  # type: ignore[attr-defined]
        lanes.append(machine.new_list(tuple(held), mask))
    return row(tuple(lanes), cause) if cause is not None else machine.new_list(None, mask)


def neighbours(machine: Machine, inner: Object, mask: int) -> Value | None:
    """`list(range(low, low + width))` with bounds by rank: the ranks next to this one, told apart."""
    bounds = tuple(inner.attributes[name] for name in ("start", "stop", "step"))
    cause = next((bound.cause for bound in bounds if bound.cause is not None), None)
    if cause is None:
        return None

    def told(*parts: Value) -> Value:
        held = [part.value for part in parts if isinstance(part, Const) and isinstance(part.value, int)]
        items = range(*held) if len(held) == 3 and held[2] != 0 else None
        if items is None or not set(items[:9]) <= set(range(machine.world.size)):
            return NONE
        return machine.new_list(tuple(map(Const, items)), mask)

    lists = map_lanes(told, bounds, machine.world)
    within = bounds[1].cause is not None or (isinstance(bounds[1], Const) and bounds[1].scale is not None)
    return lists if within and isinstance(lists, Row) and NONE not in lists.lanes else None


def numbers_of_rank(machine: Machine, inner: Value) -> Value | None:
    """`list(range(rank, total, world))`, a slice of the numbers up to the total; `list(range(len(mine)))`, as
    many as this rank has."""
    if not isinstance(inner, Object) or inner.kind != "builtins.range":
        return None
    start, stop, step = (inner.attributes[name] for name in ("start", "stop", "step"))
    if start.cause is None and stop.cause is None:
        return None
    if start.cause is None:
        made = machine.new_list(None, inner.birth)
        numbers = machine.unknown("numbers", inner.number, cause=stop.cause, tags=frozenset({containers.UNEVEN}))
        made.attributes["[]"] = numbers
        return made
    if stop.cause is not None:
        return subscripts.cut(machine, machine.unknown("numbers", inner.number), SliceValue(start, stop, NONE))
    whole = machine.new("builtins.range", inner.birth)
    bounds = (Const(0), stop, Const(1))
    whole.attributes.update(start=bounds[0], stop=stop, step=bounds[2], count=counted(machine, *bounds))
    return subscripts.cut(machine, whole, SliceValue(start, NONE, step))


def array_of_rank(machine: Machine, call: Invocation) -> Value | None:
    """`numpy.arange(rank, total, world)`: the same numbers."""
    numbers = range_(machine, call) if any(bound.cause is not None for bound in call.arguments) else None
    return numbers_of_rank(machine, numbers) if numbers is not None else None


def drawn(machine: Machine, kind: str, generator: Object, mask: int) -> Object | None:
    """A generator is run to its end: what it gave, where all of it can stand in one list."""
    from dtlint.machine.functions import calls

    made = machine.new("set" if kind == "set" else "list", mask)
    given: list[Value] = []
    apart: list[containers.Apart] = []

    def kept(value: Value, lanes: int) -> None:
        given.append(value)
        part = containers.taken_apart(machine, made.number)
        if part is not None:
            apart.append(part)

    calls.resume(machine, generator, mask, kept)
    if given and (apart or all(isinstance(value, Unknown | Tuple) for value in given)):
        made.attributes["[]"] = gathered(machine, kind, generator, given, apart)
        return made
    return None


def gathered(
    machine: Machine, kind: str, generator: Object, given: list[Value], apart: list[containers.Apart]
) -> Unknown:
    """`list(paths())`: what the generator gave, in the order it was given."""
    symbol = machine.symbols.of(kind, token(generator), *(token(value) for value in given[:4]))
    tags = frozenset(
        tag
        for value in given
        for tag in value.tags | orders_in(value)
        if not (kind == "sorted" and isinstance(tag, tuple) and tag[0] == "order")
    )
    cause = deep_cause(machine, tuple(given))
    uneven = next((part.uneven for part in apart if part.uneven is not None), None)
    if apart:
        cause = uneven or apart[0].cause
        tags = tags.union(*(part.marks for part in apart))
    if uneven is not None:
        tags |= {containers.UNEVEN}
    return Unknown(symbol, cause, tags, getattr(given[0], "like", None))


CONSUMERS = frozenset(f"builtins.{name}" for name in ("dict", "sum", "min", "max", "any", "all", "bytes", "bytearray"))


def consume(machine: Machine, call: Invocation) -> None:
    """`dict(pairs())` runs the generator to its end."""
    from dtlint.machine.functions import calls

    for inner in call.arguments[:1]:
        if is_generator(inner):
            calls.resume(machine, inner, call.mask, lambda value, lanes: None)


OF_KEYS = ("order", "lengths")  # tags of what is in a dictionary that say something of its keys


def order_tags(machine: Machine, kind: str, inner: Value) -> frozenset[Any]:
    """Sorting makes an order everybody shares; taking texts out of a set makes one that nobody shares."""
    held = inner.attributes.get("[]") if isinstance(inner, Object) else inner
    tags = held.tags if held is not None else frozenset()
    if isinstance(inner, Object) and inner.kind == "dict":  # a key is nothing of what stands under it
        tags = frozenset(tag for tag in tags if tag == containers.UNEVEN or (type(tag) is tuple and tag[0] in OF_KEYS))
    if kind == "sorted":
        return frozenset(tag for tag in tags if not (isinstance(tag, tuple) and tag[0] == "order"))
    if kind == "list" and isinstance(inner, Object) and inner.kind == "set" and isinstance(held, Unknown):
        if own_order.made_of_text(machine, held.symbol):
            own = (*sharding.remember(machine, "order"), "set", "process")
            # in whatever order they came into the set, it is this one that they leave it in
            return frozenset((own, *(tag for tag in tags if not (isinstance(tag, tuple) and tag[0] == "order"))))
    return tags


def iter_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.library.python import iterators

    if call.arguments:
        iterators.of_loader(machine, "iterator-made", call.arguments[0], call)
    return call.arguments[0] if call.arguments else None


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
        return result

    return handler


def map_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.functions import calls

    if len(call.arguments) < 2:
        return None
    function, inner = call.arguments[0], library.reading.iterated(machine, call.arguments[1], call.mask)
    items = containers.items_of(machine, inner)
    if items is not None and len(items) <= 8 and len(call.arguments) == 2:
        results = tuple(calls.call_value(machine, function, (item,), (), call.mask) for item in items)
        return machine.new_list(results, call.mask)
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
