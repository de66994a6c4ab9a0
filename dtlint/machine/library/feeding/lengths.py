"""How many samples does a data set hold on each rank, and is the number a multiple of the ranks?"""

from __future__ import annotations

from dtlint.machine import library
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.library.computing import provenance, tensors
from dtlint.machine.library.feeding import inside, multiples, totals
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Log, Loop
from dtlint.machine.names import classes
from dtlint.machine.values import ClassRef, Const, FunctionRef, Object, Row, Unknown, Value
from dtlint.machine.walks import walk


def is_slice(dataset: Value) -> bool:
    """Was the list of samples cut and used as it was, rather than put together from pieces?"""
    indices = dataset.attributes.get("indices") if isinstance(dataset, Object) else None
    return not (isinstance(indices, Unknown) and indices.symbol.key[0] == "op +")


def is_divided(machine: Machine, length: Value) -> bool:
    """`len(range(rank, n, world))` where n is a multiple of the world size, `len(range(rank * share, (rank + 1) *
    share))` of shares that were rounded down."""
    if isinstance(length, Row) and totals.rounded_down(machine, length):
        return True
    held = length.lanes[0] if isinstance(length, Row) else length
    if isinstance(held, Unknown) and held.symbol.key[0] == "count":
        return totals.multiple(held.symbol.key[2], machine.world.size, multiples.told_to_fit(machine)) is not None
    return False


def length_of(machine: Machine, dataset: Value) -> Value | None:
    """The number of samples, as the data set itself says."""
    from dtlint.machine.functions import calls

    if not isinstance(dataset, Object):
        return items_count(machine, dataset)
    if isinstance(dataset.kind, ClassRef):
        method = classes.in_class(machine, dataset.kind, "__len__")
        if isinstance(method, FunctionRef):
            saved, mark = machine.sinks, len(machine.journal)
            machine.sinks = [(Log(), machine.world.full)]
            facts = machine.facts
            machine.facts = {**facts, "inside": facts.get("inside", 0) + 1}
            try:
                return calls.follow(machine, method, dataset, (), (), machine.world.full)
            finally:
                machine.sinks, machine.facts = saved, facts
                machine.rollback(mark)
        if "call" not in dataset.facts:
            return None
    call = dataset.facts.get("call")
    if isinstance(call, Invocation) and "as_many_as" in call.row.extra:
        rows = call.get(call.row.extra["as_many_as"])
        return items_count(machine, rows) if rows is not None else None
    return items_count(machine, dataset)


def items_count(machine: Machine, value: Value) -> Value | None:
    if isinstance(value, Object) and value.kind == tensors.KIND:
        told = value.facts.get("length")
        if isinstance(told, Const):
            return told
        value = value.attributes.get("content", value)  # `torch.tensor(rows)`
    for mark in provenance.marks(value, "lengths", 1):
        cause = containers.length_cause(machine, value)
        if cause is not None:
            return Row(tuple(Const(number) for number in mark[1]), cause)
    known = library.reading.length(machine, value, machine.world.full)
    if known is not None:
        return known
    cause = containers.length_cause(machine, value)
    return machine.unknown("length", value_number(value), cause=cause) if cause is not None else None


def value_number(value: Value) -> int:
    return value.number if isinstance(value, Object) else id(value)


def even_loop(machine: Machine, look: inside.Inside) -> bool:
    """A loop over a number of items that is a multiple of the world size."""
    for node, _ in walk(look.log):
        if isinstance(node, Loop) and isinstance(node.subject, Object) and node.subject.kind == "builtins.range":
            stop = node.subject.attributes.get("stop")
            if isinstance(stop, Const) and isinstance(stop.value, int):
                return stop.value % machine.world.size == 0
            fits = multiples.told_to_fit(machine)
            if isinstance(stop, Unknown) and totals.multiple(stop.symbol, machine.world.size, fits) is not None:
                return True
    return False
