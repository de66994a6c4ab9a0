"""Does a function call what was handed over earlier: kept in an attribute of its thing, or in a variable around it?

`self.on_end()` says nothing of what it leads to, but what the attribute holds does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dtlint.machine.core import Machine
from dtlint.machine.library.python.run_later import names_in
from dtlint.machine.values import Bound, External, FunctionRef, Object, Row, Tuple, Value

DEEPEST = 3  # callables that keep callables


def may_communicate(
    machine: Machine, function: FunctionRef, receiver: Value | None, given: Iterable[Value] = ()
) -> bool:
    """By its own names, by what it keeps, or by what it is handed."""
    return (
        not names_in(function.node).isdisjoint(machine.interesting)
        or calls_kept(machine, function, receiver)
        or any(leads_on(machine, value, DEEPEST) for value in given)
    )


def calls_kept(machine: Machine, function: FunctionRef, receiver: Value | None) -> bool:
    """Is something it names a callable of the program or of a library that leads to communication?"""
    return any(leads_on(machine, value, DEEPEST) for value in kept(function, receiver))


def kept(function: FunctionRef, receiver: Value | None) -> Iterator[Value]:
    names = names_in(function.node)
    if isinstance(receiver, Object):
        held = receiver.attributes
        yield from (held[name] for name in names if name in held)
    around = function.closure
    if around is not None and function.within_another:
        yield from (around.variables[name] for name in names if name in around.variables)


def leads_on(machine: Machine, value: Value, deep: int) -> bool:
    if isinstance(value, Row):
        return any(leads_on(machine, one, deep) for one in value.lanes)
    if isinstance(value, External):
        return value.name.rpartition(".")[2] in machine.interesting
    if isinstance(value, Bound):
        return leads_on(machine, value.function, deep) or any(leads_on(machine, one, deep) for one in value.extra)
    if isinstance(value, Tuple):
        return any(leads_on(machine, one, deep) for one in value.items)
    if isinstance(value, FunctionRef):
        if not names_in(value.node).isdisjoint(machine.interesting):
            return True
        return deep > 0 and any(leads_on(machine, one, deep - 1) for one in kept(value, None))
    return False
