"""What do `list`, `sorted`, `set` and `tuple` make of what they walk over?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents import containers, dictionaries, keys_of_some, sets
from dtlint.machine.contents.opaque import deep_cause
from dtlint.machine.core import Machine
from dtlint.machine.joining import orders_in
from dtlint.machine.lanes import map_lanes, row, token
from dtlint.machine.library.feeding import sharding, totals
from dtlint.machine.library.invocation import Handler, Invocation
from dtlint.machine.library.python import in_order, own_order
from dtlint.machine.library.python.generators import is_generator, sure
from dtlint.machine.library.python.iteration import counted, numbers_in, range_
from dtlint.machine.names import subscripts
from dtlint.machine.values import (
    NONE,
    Cause,
    Const,
    Object,
    Row,
    SliceValue,
    Symbol,
    Tuple,
    Unknown,
    Value,
    lane_value,
)

BACKWARDS = "builtins.reversed"


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
        apart = containers.of_lanes(inner) if kind == "list" else None
        if apart is not None:
            copied = machine.new("list", call.mask)
            copied.attributes["[]"] = map_lanes(
                lambda one: Tuple(one.items[:: -1 if call.name == BACKWARDS else 1]), (apart,), machine.world
            )
            return copied
        items = containers.items_of(machine, inner)
        if items is None and isinstance(inner, Object) and inner.kind == "dict":
            keys = keys_of_some.by_lane(machine, inner, lambda key, _: dictionaries.of_key(key))
            items = keys.items if isinstance(keys, Tuple) else None  # the ranks have put the same there, one by one
        if items is None:
            items = numbers_in(inner)
        if items is not None:
            if kind == "sorted":
                ordered = in_order.arranged(machine, call, tuple(items))
                if ordered is None:
                    return sorted_apart(machine, items, call.mask)
                return machine.new_list(ordered, call.mask)
            if kind == "set":
                return machine.new_list(sets.once(tuple(items)), call.mask, "set")
            return machine.new_list(tuple(items)[:: -1 if call.name == BACKWARDS else 1], call.mask)
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
        part = subscripts.cut(machine, machine.unknown("numbers", inner.number), SliceValue(start, stop, NONE))
        if isinstance(part, Unknown) and totals.as_far_as_it_goes(start, stop, machine.world.size):
            return Unknown(part.symbol, start.cause, part.tags - {containers.UNEVEN})
        return part
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
    around, known = machine.frame, list[bool]()

    def kept(value: Value, lanes: int) -> None:
        given.append(value)
        known.append(lanes == mask and sure(machine, around))
        part = containers.taken_apart(machine, made.number)
        if part is not None:
            apart.append(part)

    calls.resume(machine, generator, mask, kept)
    if given and all(known):
        made.attributes["[]"] = Tuple(sets.once(tuple(given)) if kind == "set" else tuple(given))
        return made
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
