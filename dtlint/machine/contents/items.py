"""Which items does a loop walk over?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.ir import nodes as ir
from dtlint.ir.functions import called_names, every_node, variables_in
from dtlint.machine import library
from dtlint.machine.contents import containers, dictionaries, keys_of_some, presets
from dtlint.machine.core import Machine
from dtlint.machine.lanes import lanes_in
from dtlint.machine.library.python import environment_use
from dtlint.machine.values import (
    Bound,
    Cause,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Object,
    Row,
    Tuple,
    Unknown,
    Value,
)

UNROLLED = 4
FIELDS = 32  # of a class with options
STAGES = 12  # of a program, in a list: each is code of its own


def walked(machine: Machine, iterable: Value, mask: int) -> None:
    """A list that only the root of a gather has is None where the others walk over it."""
    if isinstance(iterable, Row | Unknown) and "off root" in machine.facts:
        from dtlint.machine.library.meeting import roots

        roots.missing(machine, iterable, mask, "but it is None there")


def turns_of(machine: Machine, iterable: Value, mask: int) -> tuple[Value | None, Cause | None]:
    """The number of turns over an iterable where it is known, and why it may differ between lanes."""
    trip = library.reading.length(machine, iterable, mask)
    cause = containers.length_cause(machine, iterable)
    if trip is not None and cause is None:
        cause = trip.cause
    return trip, cause


COUNTED = "counted over the world"  # fact: a loop turns once per rank of the world


def short_items(machine: Machine, iterable: Value) -> tuple[Value, ...] | None:
    if isinstance(iterable, Object) and iterable.kind == "builtins.range":
        return only_one(iterable) or ranks_in_turn(machine, iterable)
    keys = keys_of_some.by_lane(machine, iterable, lambda key, _: dictionaries.of_key(key))
    items = keys.items if isinstance(keys, Tuple) else containers.items_of(machine, iterable)
    if items is not None and len(items) <= FIELDS and all(map(is_field, items)):
        return items
    if items is None or len(items) > STAGES:
        return None
    return items if len(items) <= UNROLLED or differ_in_code(items) else None


def only_one(numbers: Object) -> tuple[Value, ...] | None:
    """`for _ in range(1)`"""
    first = numbers.attributes.get("start")
    return (first,) if numbers.attributes.get("count") == Const(1) and isinstance(first, Const) else None


def ranks_in_turn(machine: Machine, numbers: Object) -> tuple[Value, ...] | None:
    """Those of `range(world_size)`, which are ranks. Where each rank begins at another number, `range(rank, 8, world)`,
    or the ranks are what is stepped by, they are none."""
    bound, begin, by = (numbers.attributes.get(name) for name in ("count", "start", "step"))
    if not isinstance(bound, Const) or not isinstance(bound.value, int) or not bound.scale:
        return None
    if not 0 <= bound.value <= UNROLLED + 4 or isinstance(begin, Row) or (isinstance(by, Const) and by.scale):
        return None
    machine.facts[COUNTED] = True
    first, step = whole(begin, 0), whole(by, 1)
    return tuple(Const(first + number * step, "rank") for number in range(bound.value))


def is_field(item: Value) -> bool:
    """Of a dataclass: each has another name."""
    return isinstance(item, Object) and item.kind == "dataclasses.Field"


def differ_in_code(items: tuple[Value, ...]) -> bool:
    """`for stage in (load, build, train, check, save): stage(run)`: what one of them does says nothing of another."""
    return len({code for item in items for code in code_of(item)}) > 1


def code_of(item: Value) -> Iterator[int]:
    """The functions and classes of the program that this is, or that stand in it: `("load", load)`."""
    if isinstance(item, Tuple):
        for part in item.items:
            yield from code_of(part)
    function = item.function if isinstance(item, Bound) else item
    kind = item.kind if isinstance(item, Object) else item
    if isinstance(function, FunctionRef):
        yield id(function.node)
    elif isinstance(kind, ClassRef):
        yield id(kind.node)


def items_by_lane(machine: Machine, iterable: Value) -> Row | None:
    """A short list of which some lanes have more than others, or a short list of each lane: what each of them has."""
    if isinstance(iterable, Row):
        items = [short_items(machine, one) for one in iterable.lanes]
        known = [Tuple(one) for one in items if one is not None]
        return Row(tuple(known), iterable.cause) if len(known) == len(items) else None
    keys = keys_of_some.by_lane(machine, iterable, lambda key, _: dictionaries.of_key(key))
    if isinstance(keys, Row):
        return items_by_lane(machine, keys)
    if isinstance(iterable, Object) and iterable.kind == "list":
        held = iterable.attributes.get("[]")
        if isinstance(held, Row) and all(isinstance(one, Tuple) and len(one.items) <= UNROLLED for one in held.lanes):
            return held
    return None


def in_order(held: Row, mask: int) -> list[tuple[Value, int]] | None:
    """The items of all lanes in one order that is right for each of them, and the lanes that have each; None where
    there is no such order."""
    left = {lane: list(items.items) for lane in lanes_in(mask) if isinstance(items := held.lanes[lane], Tuple)}
    found: list[tuple[Value, int]] = []
    while any(left.values()):
        heads = [rest[0] for rest in left.values() if rest]
        item = next((one for one in heads if not any(held_in(one, rest[1:]) for rest in left.values())), None)
        if item is None:
            return None
        lanes = 0
        for lane, rest in left.items():
            if held_in(item, rest[:1]):
                del rest[0]
                lanes |= 1 << lane
        found.append((item, lanes))
    return found


def held_in(item: Value, items: list[Value]) -> bool:
    return any(one is item or one == item for one in items)


def of_groups(machine: Machine, node: ir.For, iterable: Value) -> tuple[Value, ...] | None:
    """The numbers of a short range, for a loop that makes a group in every turn: who is in which depends on them."""
    if not isinstance(iterable, Object) or iterable.kind != "builtins.range":
        return None
    items = few(iterable)
    makes = items is not None and not maker_names(machine).isdisjoint(called_in(machine, node))
    return items if makes else None


CALLS = 6  # in the body of a loop that does little more than copy


def called_in(machine: Machine, node: ir.For) -> tuple[str, ...]:
    """The names of what the body calls; it is looked at once, however often it is run."""
    known: dict[int, tuple[str, ...]] = machine.notes.setdefault("called in loops", {})
    if id(node) not in known:
        known[id(node)] = tuple(called_names(node.body))
    return known[id(node)]


def of_settings(machine: Machine, node: ir.For, iterable: Value) -> tuple[Value, ...] | None:
    """`for name, value in given.items(): setattr(self, name, value)`: each goes to a name of its own."""
    names = called_in(machine, node)
    if "setattr" not in names or len(names) > CALLS:
        return None
    items = containers.items_of(machine, iterable)
    return items if items and len(items) <= containers.MANY else None


def of_environment(machine: Machine, node: ir.For, iterable: Value, mask: int) -> tuple[Value, ...] | None:
    """`for name, value in table.items(): os.environ[name] = value`: each is a variable of its own."""
    if len(called_in(machine, node)) > CALLS or not writes_environment(machine, node, mask):
        return None
    items = presets.walked(machine, iterable)
    return items if items and len(items) <= containers.MANY else None


def writes_environment(machine: Machine, node: ir.For, mask: int) -> bool:
    """Does the body put something into the environment under a name that the loop gives?"""
    known: dict[int, tuple[ir.Expr, ...]] = machine.notes.setdefault("written by name of the turn", {})
    if id(node) not in known:
        given = variables_in(node.target)
        places = ((table, name) for table, name in named_places(node) if isinstance(name, ir.Name))
        known[id(node)] = tuple(table for table, name in places if name.id in given)
    return any(is_environment(machine, table, mask) for table in known[id(node)])


def named_places(node: ir.For) -> Iterator[tuple[ir.Expr, ir.Expr]]:
    """`table[name] = …`, `table.setdefault(name, …)`"""
    for inner in every_node(node.body):
        if isinstance(inner, ir.Assign):
            yield from ((one.value, one.index) for one in inner.targets if isinstance(one, ir.Index))
        elif isinstance(inner, ir.Call) and isinstance(inner.func, ir.Attr) and inner.func.name == "setdefault":
            yield from ((inner.func.value, name) for name in inner.args[:1])


def is_environment(machine: Machine, table: ir.Expr, mask: int) -> bool:
    if not isinstance(table, ir.Name | ir.Attr):
        return False
    return machine.evaluate(table, mask) == External(environment_use.ENVIRONMENT)


def maker_names(machine: Machine) -> frozenset[str]:
    known: frozenset[str] | None = machine.notes.get(("names of group makers",))
    if known is None:
        rows = machine.knowledge.apis.values()
        known = frozenset(row.name.rpartition(".")[2] for row in rows if row.model == "new_group")
        machine.notes["names of group makers",] = known
    return known


def whole(value: Value | None, usual: int) -> int:
    return value.value if isinstance(value, Const) and isinstance(value.value, int) else usual


def few(iterable: Object) -> tuple[Value, ...] | None:
    """`[make(n) for n in range(2)]`: a few things, told apart."""
    from dtlint.machine.library.meeting.groups import range_items

    items = range_items(iterable) if iterable.kind == "builtins.range" else None
    return tuple(items) if items is not None and len(items) <= UNROLLED else None
